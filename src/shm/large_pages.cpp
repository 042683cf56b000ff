#include "shm/large_pages.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <fstream>

#include "shm/geometry.h"

#if !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25
#endif

namespace comex::shm {

std::uint64_t large_page_bytes() {
  std::uint64_t bytes = 0;
  std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> bytes;
  return bytes;
}

bool make_large_pages(int descriptor, std::uint64_t offset, std::uint64_t bytes, std::uint64_t large) {
  const std::uint64_t first = round_up(offset, large);
  const std::uint64_t end = (offset + bytes) / large * large;
  if (first >= end) return true;
  // The kernel makes them in a mapping that lies as they do.
  const std::uint64_t room = end - first + large;
  void* const hold = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (hold == MAP_FAILED) return false;
  auto* const view = reinterpret_cast<void*>(round_up(reinterpret_cast<std::uintptr_t>(hold), large));
  void* const mapped = mmap(view, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED,
                            descriptor, static_cast<off_t>(first));
  if (mapped == MAP_FAILED) return false;  // its place may be another thread's by now: nothing is unmapped
  // The kernel makes none of nothing, and copies each small page that is there: so one in each. Which one
  // goes round, so that interleaved memory is on all nodes; the last makes the object long enough.
  const auto ask = [&](std::uint64_t place) {
    static_cast<void>(posix_fallocate(descriptor, static_cast<off_t>(place), page_bytes));
  };
  for (std::uint64_t page = first; page < end; page += large) ask(page + page / large * page_bytes % large);
  ask(end - page_bytes);
  const bool goes_on =
      madvise(mapped, end - first, MADV_COLLAPSE) == 0 || errno == EAGAIN;  // a page was busy
  munmap(hold, room);
  return goes_on;
}

}  // namespace comex::shm
