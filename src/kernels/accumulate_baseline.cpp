#include "kernels/accumulate_isa.h"
#include "kernels/accumulate_loops.h"

namespace comex::kernels {

AccumulateKernel accumulate_baseline(Scalar scalar, Combine combine) {
  return choose(scalar, combine);
}

}  // namespace comex::kernels
