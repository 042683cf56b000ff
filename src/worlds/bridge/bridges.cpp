#include "worlds/bridge/bridges.h"

#include <utility>

namespace comex::worlds {

std::shared_ptr<Bridge> Bridges::find(BridgeId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second;
}

BridgeId Bridges::add(std::unique_ptr<Bridge> bridge) {
  const std::lock_guard lock(mutex_);
  open_.emplace(++last_, std::move(bridge));
  return last_;
}

bool Bridges::begin_leaving(BridgeId id) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found != open_.end() && !std::exchange(found->second->is_left, true);
}

std::shared_ptr<Bridge> Bridges::remove(BridgeId id) {
  peers.remove(id);
  freed_groups.bridge_gone(id);
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  if (found == open_.end()) return nullptr;
  std::shared_ptr<Bridge> bridge = std::move(found->second);
  open_.erase(found);
  return bridge;
}

void Bridges::keep(std::shared_ptr<Bridge> removed) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(removed));
}

std::vector<BridgeId> Bridges::ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<BridgeId> found;
  for (const auto& each : open_) found.push_back(each.first);
  return found;
}

void Bridges::lose(BridgeId id, const std::string& reason) {
  peers.lose(id);
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  if (found != open_.end()) found->second->lost = reason;
}

std::string Bridges::why_lost(BridgeId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? std::string() : found->second->lost;
}

void Bridges::freed(WorldId world) {
  peers.freed(world);
  freed_groups.world_gone(world);
}

}  // namespace comex::worlds
