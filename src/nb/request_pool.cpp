#include "nb/request_pool.h"

namespace comex::nb {

std::uint32_t SlotTable::take(void* owner) {
  std::uint32_t slot = none;
  if (!free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else if (entries_.size() < limit_) {
    slot = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  } else {
    return none;
  }
  entries_[slot] = {owner, true};
  ++out_;
  return slot;
}

void* SlotTable::owner(std::uint32_t slot) const {
  return slot < entries_.size() ? entries_[slot].owner : nullptr;
}

void SlotTable::forget_owner(std::uint32_t slot) {
  COMEX_BUG_IF(slot >= entries_.size() || !entries_[slot].out);
  entries_[slot].owner = nullptr;
}

void SlotTable::give_back(std::uint32_t slot) {
  COMEX_BUG_IF(slot >= entries_.size() || !entries_[slot].out);
  entries_[slot] = {};
  free_.push_back(slot);
  --out_;
}

void SlotTable::tidy() {
  constexpr std::size_t few = 512;
  if (out_ != 0 || entries_.size() <= few) return;
  std::vector<Entry>(1).swap(entries_);
  std::vector<std::uint32_t>().swap(free_);
}

}  // namespace comex::nb
