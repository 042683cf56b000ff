// Maps the ranks of a group to processes: as a range, an even stride, or a list of lpids.
//
// It is a value and cheap to copy. Lists are shared; ranges and strides take no memory, so the world, its
// duplicates and regular parts of it cost O(1). Every operation with a group looks up here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::groups {

class ConnectionTable {
 public:
  ConnectionTable() = default;
  static ConnectionTable range(Lpid first, std::uint32_t size) { return ConnectionTable(first, 1, size); }
  // Takes the lpids of ranks 0, 1, ...; stores them as a stride if they are evenly spaced.
  static ConnectionTable from(std::span<const Lpid> lpids);

  std::uint32_t size() const { return size_; }
  Lpid lpid(std::uint32_t rank) const {
    return list_ ? list_->by_rank[rank] : first_ + static_cast<Lpid>(rank) * stride_;
  }
  std::vector<Lpid> lpids() const;                                      // by rank
  std::vector<Lpid> lpids(std::span<const std::uint32_t> ranks) const;  // of these ranks
  // Returns the lowest rank of an lpid, or -1. O(1), for a list O(log n).
  int rank_of(Lpid lpid) const;
  bool has_duplicates() const;        // O(n) for a list
  bool lies_below(Lpid bound) const;  // all lpids are smaller and none is negative; O(1)

  // The size of a member of a list, for estimates of the runtime's memory.
  static constexpr std::size_t listed_member_bytes() {
    return sizeof(decltype(List::by_rank)::value_type) + sizeof(decltype(List::sorted)::value_type);
  }

 private:
  struct List {
    std::vector<Lpid> by_rank;
    std::vector<std::pair<Lpid, std::uint32_t>> sorted;  // (lpid, rank)
  };
  ConnectionTable(Lpid first, Lpid stride, std::uint32_t size)
      : first_(first), stride_(stride), size_(size) {}

  Lpid first_ = 0;
  Lpid stride_ = 1;
  std::uint32_t size_ = 0;
  std::shared_ptr<const List> list_;
};

}  // namespace comex::groups
