#include "kernels/accumulate_isa.h"
#include "kernels/accumulate_loops.h"

namespace comex::kernels {

AccumulateKernel accumulate_avx2(Scalar scalar) {
  return choose(scalar);
}

}  // namespace comex::kernels
