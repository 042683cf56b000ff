#include "kernels/accumulate.h"

#include "core/status.h"

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
  static constexpr const AccumulateTable* tables[] = {&accumulate_baseline, &accumulate_avx2,
                                                      &accumulate_avx512};
  const auto row = static_cast<unsigned>(combine);
  const auto column = static_cast<unsigned>(scalar);
  COMEX_BUG_IF(row >= combine_kinds || column >= scalar_kinds);
  const AccumulateKernel kernel = tables[static_cast<unsigned>(isa)]->kernels[row][column];
  COMEX_BUG_IF(kernel.run == nullptr);
  return kernel;
}

AccumulateKernel accumulate_kernel(Scalar scalar, Combine combine) {
  return accumulate_kernel(scalar, combine, best_isa());
}

}  // namespace comex::kernels
