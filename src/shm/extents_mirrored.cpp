// Extents with mirrors: the parts of kept memory.
#include "shm/extents_lock.h"

namespace comex::shm {

Result<Extent> Extents::allocate_mirrored(Worker owner, std::uint64_t bytes, std::uint64_t allocation) {
  const bool can_be = bytes <= place_.geometry.reservation_bytes;  // else sums may overflow
  return allocate_pages({.owner = owner,
                         .bytes = bytes,
                         .allocation = allocation,
                         .bytes_behind = can_be ? MirroredPart::bytes_behind(bytes) : 0});
}

MirroredPart& Extents::part_behind(const ExtentRecord& record) const {
  const std::uint64_t end = record.offset.load() + MirroredPart::offset_behind(record.bytes.load());
  return *reinterpret_cast<MirroredPart*>(place_.base + end);
}

void Extents::show_mirrored(std::uint64_t offset) {
  const std::uint32_t id = locate(offset);
  COMEX_BUG_IF(id == 0);
  place_.block->mirrored.fetch_add(1);  // first: who dies in between must not make it too low
  records_[id].is_mirrored.store(1, std::memory_order_release);
  place_.block->mirrored_changes.fetch_add(1);
}

bool Extents::note_written(std::uint64_t offset, std::uint64_t bytes) const {
  const ExtentRecord* const found = find_record(offset);
  if (found == nullptr || found->is_mirrored.load(std::memory_order_acquire) == 0) return false;
  const std::uint64_t begin = found->offset.load(std::memory_order_acquire);
  part_behind(*found).mark(offset - begin, bytes);
  return true;
}

}  // namespace comex::shm
