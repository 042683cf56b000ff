// A table whose free slots are reused: the slot that was given back last comes first.
//
// It grows to the most that were ever out at once; tidy() gives that memory back. To name a slot that is not
// out is a bug. Transports keep the bodies in flight in it, and op/remote the transfers by their reply slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/status.h"

namespace comex::transport {

template <class T>
class SlotTable {
 public:
  // Gives out the slots `first` to `limit` - 1.
  explicit SlotTable(std::uint32_t limit = UINT32_MAX, std::uint32_t first = 0)
      : limit_(limit), first_(first) {}

  std::uint32_t available() const { return limit_ - first_ - out_; }
  // One has to be available.
  std::uint32_t take(T value) {
    COMEX_BUG_IF(available() == 0);
    ++out_;
    if (free_.empty()) {
      entries_.push_back({std::move(value), true});
      return first_ + static_cast<std::uint32_t>(entries_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    entries_[slot - first_] = {std::move(value), true};
    return slot;
  }
  // Null if the slot is not out.
  const T* find(std::uint32_t slot) const {
    const std::size_t index = std::size_t{slot} - first_;
    return index < entries_.size() && entries_[index].is_out ? &entries_[index].value : nullptr;
  }
  T& at(std::uint32_t slot) {
    COMEX_BUG_IF(find(slot) == nullptr);
    return entries_[slot - first_].value;
  }
  void give_back(std::uint32_t slot) {
    COMEX_BUG_IF(find(slot) == nullptr);
    entries_[slot - first_] = {};
    free_.push_back(slot);
    --out_;
  }
  template <class F>
  void for_each(F&& f) {
    for (Entry& entry : entries_) {
      if (entry.is_out) f(entry.value);
    }
  }
  // When none is out: gives the memory of many slots back.
  void tidy() {
    constexpr std::size_t few = 512;
    if (out_ != 0 || entries_.size() <= few) return;
    std::vector<Entry>().swap(entries_);
    std::vector<std::uint32_t>().swap(free_);
  }

 private:
  struct Entry {
    T value{};
    bool is_out = false;
  };
  std::uint32_t limit_;
  std::uint32_t first_;
  std::uint32_t out_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace comex::transport
