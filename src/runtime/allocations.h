// The collective allocations that a worker knows, and what of each is its own.
//
// All members know an allocation by the id they agreed on; the arena knows local ones. What
// the others' addresses are is not kept, so that an allocation takes the same however many members it has;
// where it spans worlds they are, since the same memory is at another address for each. Thread safe. Used by
// the memory calls of the API.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "groups/compare.h"
#include "groups/connection_table.h"
#include "groups/endpoints.h"

namespace comex::runtime {

struct Allocation {
  std::uint64_t id = 0;
  groups::ConnectionTable members;  // of the group it was allocated over
  groups::Endpoints endpoints;
  int my_rank = 0;              // in that group
  void* own = nullptr;          // null for 0 bytes
  std::vector<void*> of_all{};  // over worlds: every member's, as this process sees it; else empty
  std::uint32_t my_endpoint() const { return endpoints.of(static_cast<std::uint32_t>(my_rank)); }
  groups::Roster roster() const { return {members, endpoints}; }
};

class Allocations {
 public:
  void add(Allocation allocation);
  // The allocation that an address names: the caller's own address first, else any that is kept.
  std::optional<Allocation> named_by(const void* address) const;
  // Endpoints of one process share an id; each has its own part, whatever rank it has in the group at hand.
  std::optional<Allocation> by_id(std::uint64_t id, std::uint32_t my_endpoint) const;
  void remove(std::uint64_t id, std::uint32_t my_endpoint);

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // id, own endpoint

  mutable std::mutex mutex_;
  std::map<Key, Allocation> by_id_;
  std::unordered_map<const void*, Key> by_own_address_;
};

}  // namespace comex::runtime
