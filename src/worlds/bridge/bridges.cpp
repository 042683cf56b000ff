#include "worlds/bridge/bridges.h"

#include <algorithm>
#include <utility>

namespace comex::worlds {

std::shared_ptr<Bridge> Bridges::find(BridgeId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second.bridge;
}

BridgeId Bridges::add(std::unique_ptr<Bridge> bridge, BridgePeers peers) {
  const std::lock_guard lock(mutex_);
  ++last_;
  for (auto& [lpid, peer] : peers) {
    peer.bridge = last_;
    lost_worlds_.erase(peer.gpid.world);
  }
  open_.emplace(last_, OpenBridge{std::move(bridge), std::move(peers)});
  return last_;
}

void Bridges::remove(BridgeId id) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  const std::shared_ptr<Bridge>& bridge = found->second.bridge;
  if (bridge != nullptr && bridge->point->is_in_use_by_mpi) kept_.push_back(bridge);
  open_.erase(found);
}

std::vector<BridgeId> Bridges::ids() const {
  const std::lock_guard lock(mutex_);
  std::vector<BridgeId> found;
  for (const auto& each : open_) found.push_back(each.first);
  return found;
}

bool Bridges::find_peer(Lpid lpid, runtime::Reach& found) const {
  const std::lock_guard lock(mutex_);
  bool is_found = false;
  for (const auto& [id, open] : open_) {
    const bool is_lost = !open.lost.empty();
    const auto peer = open.peers.find(lpid);
    if (peer == open.peers.end() || (is_lost && is_found)) continue;
    found = peer->second;
    is_found = true;
    if (!is_lost) break;
  }
  return is_found;
}

void Bridges::forget_peer(BridgeId id, Lpid lpid) {
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(id); found != open_.end()) found->second.peers.erase(lpid);
}

bool Bridges::lose(BridgeId id, WorldId world, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  OpenBridge& open = open_.at(id);
  if (open.lost.empty()) open.lost = reason;
  return lost_worlds_.emplace(world, reason).second;
}

std::string Bridges::why_lost(BridgeId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(id);
  return found == open_.end() ? std::string() : found->second.lost;
}

std::string Bridges::why_world_lost(WorldId world) const {
  const auto is_of_world = [world](const auto& each) { return each.second.gpid.world == world; };
  const auto leads_there = [&](const auto& each) {
    return each.second.lost.empty() && std::ranges::any_of(each.second.peers, is_of_world);
  };
  const std::lock_guard lock(mutex_);
  const auto found = lost_worlds_.find(world);
  if (found == lost_worlds_.end() || std::ranges::any_of(open_, leads_there)) return {};
  return found->second;
}

void Bridges::freed(WorldId world) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, open] : open_) {
    open.freed_groups.world_gone(world);
    std::erase_if(open.peers, [world](const auto& each) { return each.second.gpid.world == world; });
  }
  lost_worlds_.erase(world);
}

}  // namespace comex::worlds
