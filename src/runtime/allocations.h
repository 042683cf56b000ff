// The collective allocations that a worker knows, with its own part of each.
//
// All members know an allocation by the id they agreed on; the arena keeps local allocations. The addresses
// of other members are not kept, so an allocation takes the same memory for any number of members. An
// allocation that spans worlds does keep them, because each process sees the memory at another address.
// Thread safe. Used by the memory calls.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "groups/compare.h"
#include "groups/connection_table.h"
#include "groups/endpoints.h"

namespace comex::runtime {

struct KeptAllocation;

struct Allocation {
  std::uint64_t id = 0;
  groups::ConnectionTable members;  // of the group of the allocation
  groups::Endpoints endpoints;
  int my_rank = 0;                         // in that group
  void* own = nullptr;                     // null for 0 bytes; of kept memory the caller's first part
  std::shared_ptr<KeptAllocation> kept{};  // null: it has no mirrors
  std::vector<void*> of_all{};             // over worlds: every member's address in this process; else empty
  std::uint32_t my_endpoint() const { return endpoints.of(static_cast<std::uint32_t>(my_rank)); }
  groups::GroupSide side() const { return {members, endpoints}; }
};

class Allocations {
 public:
  void add(Allocation allocation);
  // The allocation of an address: the caller's own addresses first, then all others that are kept.
  std::optional<Allocation> named_by(const void* address) const;
  // Endpoints of one process share an id. Each has its own part, whatever rank it has in the current group.
  std::optional<Allocation> by_id(std::uint64_t id, std::uint32_t my_endpoint) const;
  // What malloc_kept made under this id, and what recover has made of it, if they are still there.
  std::vector<Allocation> all_of_root(std::uint64_t root) const;
  void remove(std::uint64_t id, std::uint32_t my_endpoint);

 private:
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // id, own endpoint

  mutable std::mutex mutex_;
  std::map<Key, Allocation> by_id_;
  std::unordered_map<const void*, Key> by_own_address_;
  std::set<Key> with_more_addresses_;  // kept memory, and what spans worlds
};

}  // namespace comex::runtime
