#include "kernels/accumulate_loops.h"

namespace comex::kernels {

constinit const AccumulateTable accumulate_avx2 = table;

}  // namespace comex::kernels
