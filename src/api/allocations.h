// The allocations a worker knows: which addresses name which, and what of it is its own.
//
// Collective allocations are known to all members by the id they agreed on; local ones by address
// only. Thread safe. Used by the memory calls of the API.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "groups/connection_table.h"

namespace comex::api {

struct Allocation {
  std::uint64_t id = 0;
  groups::ConnectionTable members;  // of the group it was allocated over
  int my_rank = 0;                  // in that group
  std::vector<void*> addresses;     // by rank; null for 0 bytes
  void* own() const { return addresses[static_cast<std::size_t>(my_rank)]; }
};

class Allocations {
 public:
  void add(Allocation allocation);
  // The allocation that an address names: the caller's own address first, else any member's.
  std::optional<Allocation> named_by(const void* address) const;
  std::optional<Allocation> by_id(std::uint64_t id) const;
  void remove(std::uint64_t id);

  void add_local(void* address);
  bool remove_local(void* address);

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Allocation> by_id_;
  std::unordered_map<const void*, std::uint64_t> by_own_address_;
  std::unordered_multimap<const void*, std::uint64_t> by_any_address_;
  std::unordered_set<const void*> local_;
};

}  // namespace comex::api
