// Visits the contiguous runs of a strided transfer, the first level fastest.
//
// For what the façade does itself: packing, and small patches under an aggregate handle.
#pragma once

#include <array>
#include <cstddef>

#include "flavour.h"

namespace comex::armci {

// How many runs there are; 0 if a count is 0, -1 if the levels or a count make no sense.
inline long run_count(const int* count, int stride_levels) {
  if (stride_levels < 0 || stride_levels > COMEX_MAX_STRIDE_LEVEL || count[0] < 0) return -1;
  long runs = count[0] == 0 ? 0 : 1;
  for (int level = 1; level <= stride_levels; ++level) {
    if (count[level] < 0) return -1;
    runs *= count[level];
  }
  return runs;
}

struct Strided {
  void* first = nullptr;
  const int* stride = nullptr;
};

// Calls visit(a, b) with the address of each run on both sides, runs of them.
template <class Visit>
void visit_runs(const Strided& a, const Strided& b, const int* count, int stride_levels, long runs,
                const Visit& visit) {
  std::array<int, COMEX_MAX_STRIDE_LEVEL> at{};
  for (long run = 0; run < runs; ++run) {
    std::ptrdiff_t a_offset = 0;
    std::ptrdiff_t b_offset = 0;
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level) {
      a_offset += std::ptrdiff_t{at[level]} * a.stride[level];
      b_offset += std::ptrdiff_t{at[level]} * b.stride[level];
    }
    visit(static_cast<char*>(a.first) + a_offset, static_cast<char*>(b.first) + b_offset);
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level) {
      if (++at[level] < count[level + 1]) break;
      at[level] = 0;
    }
  }
}

}  // namespace comex::armci
