#include "groups/group.h"

#include <algorithm>

namespace comex::groups {

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
  slots_[static_cast<std::size_t>(handle)].store(group.get(), std::memory_order_release);
  owned_.push_back(std::move(group));
  return handle;
}

void GroupTable::remove(int handle) {
  const std::lock_guard lock(mutex_);
  Group* group = slots_[static_cast<std::size_t>(handle)].exchange(nullptr, std::memory_order_acq_rel);
  if (group == nullptr) return;
  std::erase_if(owned_, [group](const auto& owned) { return owned.get() == group; });
  free_.push_back(handle);
}

std::vector<int> GroupTable::handles() const {
  std::vector<int> found;
  for (int handle = 0; handle < used_; ++handle) {
    if (find(handle) != nullptr) found.push_back(handle);
  }
  return found;
}

}  // namespace comex::groups
