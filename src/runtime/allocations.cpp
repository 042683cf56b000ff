#include "runtime/allocations.h"

#include <algorithm>
#include <utility>

#include "core/status.h"
#include "runtime/kept/allocation.h"

namespace comex::runtime {

void Allocations::add(Allocation allocation) {
  const Key key{allocation.id, allocation.my_endpoint()};
  const std::lock_guard lock(mutex_);
  if (allocation.own != nullptr) by_own_address_[allocation.own] = key;
  if (allocation.kept != nullptr || !allocation.of_all.empty()) with_more_addresses_.insert(key);
  const bool is_new = by_id_.emplace(key, std::move(allocation)).second;
  COMEX_BUG_IF(!is_new);
}

std::optional<Allocation> Allocations::named_by(const void* address) const {
  const std::lock_guard lock(mutex_);
  if (const auto own = by_own_address_.find(address); own != by_own_address_.end()) {
    return by_id_.at(own->second);
  }
  for (const Key& key : with_more_addresses_) {
    const Allocation& each = by_id_.at(key);
    const bool has_it = std::ranges::count(each.of_all, address) != 0 ||
                        (each.kept != nullptr && std::ranges::count(each.kept->own_parts, address) != 0);
    if (has_it) return each;
  }
  return std::nullopt;
}

std::optional<Allocation> Allocations::by_id(std::uint64_t id, std::uint32_t my_endpoint) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find({id, my_endpoint});
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

std::vector<Allocation> Allocations::all_of_root(std::uint64_t root) const {
  std::vector<Allocation> all;
  const std::lock_guard lock(mutex_);
  for (const Key& key : with_more_addresses_) {
    const Allocation& each = by_id_.at(key);
    if (each.kept != nullptr && each.kept->root == root) all.push_back(each);
  }
  return all;
}

void Allocations::remove(std::uint64_t id, std::uint32_t my_endpoint) {
  const Key key{id, my_endpoint};
  const std::lock_guard lock(mutex_);
  const auto found = by_id_.find(key);
  if (found == by_id_.end()) return;
  // The memory may be another allocation's by now.
  const auto own = by_own_address_.find(found->second.own);
  if (own != by_own_address_.end() && own->second == key) by_own_address_.erase(own);
  with_more_addresses_.erase(key);
  by_id_.erase(found);
}

}  // namespace comex::runtime
