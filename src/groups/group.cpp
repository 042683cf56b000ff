#include "groups/group.h"

#include "core/status.h"

namespace comex::groups {

GroupTable::~GroupTable() {
  delete self_.load(std::memory_order_relaxed);
  for (unsigned chunk = 0; chunk < chunk_count; ++chunk) {
    Slot* slots = chunks_[chunk].load(std::memory_order_relaxed);
    if (slots == nullptr) break;
    for (std::uint32_t at = 0; at < first_chunk << chunk; ++at) {
      delete slots[at].load(std::memory_order_relaxed);
    }
    delete[] slots;
  }
}

int GroupTable::add(std::unique_ptr<Group> group) {
  const std::lock_guard lock(mutex_);
  int handle = 0;
  if (!free_.empty()) {
    handle = free_.back();
    free_.pop_back();
  } else if (used_ < max_groups) {
    handle = used_++;
  } else {
    return -1;
  }
  const HandleSlot place = slot_of(static_cast<std::uint32_t>(handle));
  Slot* slots = chunks_[place.chunk].load(std::memory_order_relaxed);
  if (slots == nullptr) {
    slots = new Slot[first_chunk << place.chunk]();
    chunks_[place.chunk].store(slots, std::memory_order_release);
  }
  slots[place.at].store(group.release(), std::memory_order_release);
  return handle;
}

void GroupTable::set_self(std::unique_ptr<Group> group) {
  COMEX_BUG_IF(self_.load(std::memory_order_relaxed) != nullptr);
  self_.store(group.release(), std::memory_order_release);
}

void GroupTable::remove(int handle) {
  std::unique_ptr<Group> group;  // destroyed after the lock is released
  {
    const std::lock_guard lock(mutex_);
    if (find(handle) == nullptr || handle < 0) return;
    const HandleSlot place = slot_of(static_cast<std::uint32_t>(handle));
    Slot* slots = chunks_[place.chunk].load(std::memory_order_relaxed);
    group.reset(slots[place.at].exchange(nullptr, std::memory_order_acq_rel));
    free_.push_back(handle);
  }
}

}  // namespace comex::groups
