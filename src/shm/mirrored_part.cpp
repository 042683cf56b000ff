#include "shm/mirrored_part.h"

#include <algorithm>
#include <cstring>

namespace comex::shm {

void MirroredPart::format(std::uint64_t part_bytes) {
  std::memset(static_cast<void*>(marks()), 0, blocks_of(part_bytes));
  is_dirty_.store(0, std::memory_order_relaxed);
  copies_ = 0;
  bytes_ = part_bytes;
}

// By exchanges, so that who takes a mark also sees what those wrote whose marks it replaced.
void MirroredPart::mark(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0 || offset >= bytes_) return;
  const std::uint64_t end = blocks_of(std::min(offset + bytes, bytes_));
  for (std::uint64_t block = offset / block_bytes; block < end; ++block) {
    marks()[block].exchange(1, std::memory_order_acq_rel);
  }
  is_dirty_.exchange(1, std::memory_order_acq_rel);
}

MirroredPart::Blocks MirroredPart::take_marked(std::uint64_t& next, std::uint64_t blocks) {
  const std::uint64_t end = std::min(next + blocks, blocks_of(bytes_));
  while (next < end && marks()[next].load(std::memory_order_relaxed) == 0) ++next;
  const std::uint64_t first = next;
  while (next < end && marks()[next].exchange(0, std::memory_order_acq_rel) != 0) ++next;
  if (next == first) return {};
  const std::uint64_t offset = first * block_bytes;
  return {offset, std::min(next * block_bytes, bytes_) - offset};
}

}  // namespace comex::shm
