#include "groups/group.h"

#include <cstdlib>

#include "core/status.h"

namespace comex::groups {

GroupTable::GroupTable() : slots_(static_cast<Slot*>(std::calloc(max_groups, sizeof(Slot)))) {
  if (slots_ == nullptr) out_of_memory(max_groups * sizeof(Slot), "the table of groups");
}

GroupTable::~GroupTable() {
  delete self_.load(std::memory_order_relaxed);
  for (int handle = 0; handle < used_; ++handle) delete find(handle);
  std::free(slots_);
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
  slots_[handle].store(group.release(), std::memory_order_release);
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
    group.reset(slots_[handle].exchange(nullptr, std::memory_order_acq_rel));
    free_.push_back(handle);
  }
}

}  // namespace comex::groups
