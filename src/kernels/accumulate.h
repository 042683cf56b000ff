// Computes far += scale * near, or another combination of both, element by element, with one function for
// each scalar type and combination.
//
// The same source is compiled for several instruction sets, and the best one of this processor is chosen at
// run time. Contraction is off, so all give the same bits. Pointers need no alignment, trailing bytes short
// of an element are ignored, and integers wrap. The caller holds the lock that makes it atomic, as
// striped_accumulate.h does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/scalar.h"

namespace comex::kernels {

using AccumulateFn = void (*)(std::byte* far, const std::byte* near, std::uint64_t bytes, const Scale& scale);

// The same for `count` rows of `bytes` each, one after another.
using AccumulateRowsFn = void (*)(std::byte* far, std::int64_t far_stride, const std::byte* near,
                                  std::int64_t near_stride, std::uint64_t bytes, std::uint64_t count,
                                  const Scale& scale);
struct AccumulateKernel {
  AccumulateFn run = nullptr;
  AccumulateRowsFn rows = nullptr;
};

// By Combine, then by Scalar. Null: the two do not go together.
struct AccumulateTable {
  AccumulateKernel kernels[combine_kinds][scalar_kinds];
};
extern const AccumulateTable accumulate_baseline;
extern const AccumulateTable accumulate_avx2;
extern const AccumulateTable accumulate_avx512;

enum class Isa : std::uint8_t { baseline, avx2, avx512 };

bool isa_supported(Isa isa);
Isa best_isa();

// The two must go together: anything else is a bug. Choose once for an operation, not for each row.
AccumulateKernel accumulate_kernel(Scalar scalar, Combine combine);
AccumulateKernel accumulate_kernel(Scalar scalar, Combine combine, Isa isa);

}  // namespace comex::kernels
