#include "kernels/accumulate_loops.h"

namespace comex::kernels {

constinit const AccumulateTable accumulate_avx512 = table;

}  // namespace comex::kernels
