// Whether all that the space of an arena records of itself agrees: the chain, the bins and the sums.
//
// Nobody may allocate or release meanwhile. Used by the tests of shm and by those under a scheduler.
#pragma once

#include <cstdint>

#include "shm/extents.h"

namespace comex::shm {

class ExtentsWalk {
 public:
  ExtentsWalk(const ExtentsBlock& block, const std::byte* base, const Geometry& geometry)
      : block_(block),
        records_(reinterpret_cast<const ExtentRecord*>(base + geometry.records_offset)),
        geometry_(geometry) {}

  bool is_consistent() const {
    std::uint64_t at = geometry_.data_offset;
    std::uint64_t live = 0;
    std::uint64_t kept = 0;
    std::uint32_t before = 0;
    std::uint32_t free_records = 0;
    for (std::uint32_t id = block_.first; id != 0; id = records_[id].next.load()) {
      const std::uint64_t end = end_of(id);
      if (records_[id].offset.load() != at || end <= at) return false;
      if (records_[id].previous != before || are_to_join(before, id)) return false;
      if (!is_free(id)) live += end - at;
      if (is_free(id) && records_[id].is_committed != 0) kept += end - at;
      free_records += is_free(id) ? 1U : 0U;
      before = id;
      at = end;
    }
    return at == geometry_.reservation_bytes && free_records == records_in_bins() &&
           live == block_.live_bytes && kept == block_.kept_bytes;
  }

 private:
  std::uint64_t end_of(std::uint32_t id) const {
    const std::uint32_t next = records_[id].next.load();
    return next == 0 ? geometry_.reservation_bytes : records_[next].offset.load();
  }
  bool is_free(std::uint32_t id) const { return records_[id].state.load() == ExtentState::free; }
  // Free neighbours are one record, unless their pages are kept for different owners, or only one's are.
  bool are_to_join(std::uint32_t id, std::uint32_t other) const {
    if (id == 0 || !is_free(id) || !is_free(other)) return false;
    const ExtentRecord& a = records_[id];
    const ExtentRecord& b = records_[other];
    return a.is_committed == b.is_committed && (a.is_committed == 0 || a.owner.load() == b.owner.load());
  }
  std::uint32_t records_in_bins() const {
    std::uint32_t count = 0;
    for (const auto& kind : block_.bins) {
      for (const std::uint32_t head : kind) {
        for (std::uint32_t id = head; id != 0; id = records_[id].next_free) ++count;
      }
    }
    return count;
  }

  const ExtentsBlock& block_;
  const ExtentRecord* records_;
  const Geometry& geometry_;
};

}  // namespace comex::shm
