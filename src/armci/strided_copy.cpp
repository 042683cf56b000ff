// The calls that pack and unpack local strided patches.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "armci/export.h"
#include "armci/state.h"

using namespace comex::armci;

namespace {

// Returns the number of runs; 0 if a count is 0. Invalid levels or counts end the job.
long count_runs(const int* count, int stride_levels) {
  pass();
  bool is_sound = stride_levels >= 0 && stride_levels <= COMEX_MAX_STRIDE_LEVEL;
  const std::span counts(count, is_sound ? static_cast<std::size_t>(stride_levels) + 1 : 0);
  is_sound = is_sound && std::ranges::min(counts) >= 0;
  if (is_sound && std::ranges::min(counts) == 0) return 0;
  long runs = 1;
  for (int level = 1; is_sound && level <= stride_levels; ++level)
    is_sound = !__builtin_mul_overflow(runs, count[level], &runs);
  if (!is_sound)
    comex_error("a strided patch has a negative count, too many runs, or stride levels outside 0 to 8", 1);
  return runs;
}

// Calls visit(run) with the address of each contiguous run; the first level changes fastest.
template <class Visit>
void visit_runs(void* first, int stride_levels, const int* stride, const int* count, const Visit& visit) {
  std::array<int, COMEX_MAX_STRIDE_LEVEL> at{};
  for (long runs = count_runs(count, stride_levels); runs != 0; --runs) {
    std::ptrdiff_t offset = 0;
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level)
      offset += std::ptrdiff_t{at[level]} * stride[level];
    visit(static_cast<char*>(first) + offset);
    for (std::size_t level = 0; level < static_cast<std::size_t>(stride_levels); ++level) {
      if (++at[level] < count[level + 1]) break;
      at[level] = 0;
    }
  }
}

}  // namespace

COMEX_C void armci_write_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  visit_runs(ptr, stride_levels, stride, count, [&](const char* run) {
    std::memcpy(buf, run, static_cast<std::size_t>(count[0]));
    buf += count[0];
  });
}

COMEX_C void armci_read_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf) {
  const comex::runtime::CallName called(__func__);
  visit_runs(ptr, stride_levels, stride, count, [&](char* run) {
    std::memcpy(run, buf, static_cast<std::size_t>(count[0]));
    buf += count[0];
  });
}
