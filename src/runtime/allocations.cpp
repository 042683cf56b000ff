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
  const bool is_new = by_id_.emplace(key, std::move(allocation)).second;
  COMEX_BUG_IF(!is_new);
}

std::optional<Allocation> Allocations::named_by(const void* address) const {
  const std::lock_guard lock(mutex_);
  if (const auto own = by_own_address_.find(address); own != by_own_address_.end()) {
    return by_id_.at(own->second);
  }
  const auto any = std::ranges::find_if(by_id_, [&](const auto& each) {
    const Allocation& allocation = each.second;
    return std::ranges::count(allocation.of_all, address) != 0 ||
           (allocation.kept != nullptr && std::ranges::count(allocation.kept->own_parts, address) != 0);
  });
  if (any == by_id_.end()) return std::nullopt;
  return any->second;
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
  for (const auto& [key, allocation] : by_id_) {
    if (allocation.kept != nullptr && allocation.kept->root == root) all.push_back(allocation);
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
  by_id_.erase(found);
}

}  // namespace comex::runtime
