#include "kernels/accumulate.h"

#include "core/status.h"
#include "kernels/accumulate_isa.h"

namespace comex::kernels {

#if defined(__x86_64__)
bool isa_supported(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return true;
    case Isa::avx2:
      return __builtin_cpu_supports("avx2");
    case Isa::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
  return false;
}
#else
bool isa_supported(Isa isa) {
  return isa == Isa::baseline;
}
#endif

Isa best_isa() {
  static const Isa best = isa_supported(Isa::avx512) ? Isa::avx512
                          : isa_supported(Isa::avx2) ? Isa::avx2
                                                     : Isa::baseline;
  return best;
}

AccumulateKernel accumulate_kernel(Scalar scalar, Combine combine, Isa isa) {
  AccumulateKernel kernel;
  switch (isa) {
    case Isa::baseline:
      kernel = accumulate_baseline(scalar, combine);
      break;
    case Isa::avx2:
      kernel = accumulate_avx2(scalar, combine);
      break;
    case Isa::avx512:
      kernel = accumulate_avx512(scalar, combine);
      break;
  }
  COMEX_BUG_IF(kernel.run == nullptr);
  return kernel;
}

AccumulateKernel accumulate_kernel(Scalar scalar, Combine combine) {
  return accumulate_kernel(scalar, combine, best_isa());
}

}  // namespace comex::kernels
