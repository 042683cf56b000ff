#include "kernels/accumulate_loops.h"

namespace comex::kernels {

constinit const AccumulateTable accumulate_baseline = table;

}  // namespace comex::kernels
