// Pages that went back to the system, and come again as a part of kept memory.
#pragma once

#include <comex/worlds.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <vector>

#include "mpi/kept.h"

namespace comex::testing::kept {

inline std::atomic<void*> given_back{nullptr};
inline std::atomic<bool> is_found_anew{false};

// Worker 0 has a part, and no mirror of another's. The freed memory has gone back to the system.
inline void find_pages_anew() {
  const std::size_t bytes = std::size_t{1} << 20;
  void* const before = comex_malloc_local(bytes);
  std::memset(before, 1, bytes);
  succeed(comex_free_local(before), "free_local");
  given_back = before;
  std::vector<void*> parts(static_cast<std::size_t>(workers));
  succeed(comex_malloc_kept(parts.data(), me == 0 ? bytes : 0, 1, everyone), "malloc_kept");
  require(me != 0 || is_found_anew, "registered pages are dropped");
  succeed(comex_free(parts[static_cast<std::size_t>(me)], everyone), "free");
}

}  // namespace comex::testing::kept

// The calls of the library come here.
[[gnu::visibility("default")]] int madvise(void* address, std::size_t bytes, int advice) noexcept {
  namespace kept = comex::testing::kept;
  const auto first = static_cast<char*>(address);
  const auto awaited = static_cast<char*>(kept::given_back.load());
  if (advice == MADV_DONTNEED && first <= awaited && awaited < first + bytes) kept::is_found_anew = true;
  return static_cast<int>(syscall(SYS_madvise, address, bytes, advice));
}
