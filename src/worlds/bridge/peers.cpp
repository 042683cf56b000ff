#include "worlds/bridge/peers.h"

#include <algorithm>
#include <utility>

namespace comex::worlds {

bool Peers::find(Lpid lpid, BridgePeer& peer) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_lpid_.find(lpid);
  if (found == by_lpid_.end()) return false;
  peer = found->second.front();
  return true;
}

void Peers::add(Lpid lpid, const BridgePeer& peer) {
  const std::lock_guard lock(mutex_);
  std::vector<BridgePeer>& peers = by_lpid_[lpid];
  peers.insert(std::ranges::find(peers, true, &BridgePeer::is_lost), peer);
  if (const auto lost = lost_worlds_.find(peer.gpid.world); lost != lost_worlds_.end())
    lost->second.is_told = false;
}

template <class Goes>
void Peers::remove_if(Goes goes) {
  const std::lock_guard lock(mutex_);
  for (auto each = by_lpid_.begin(); each != by_lpid_.end();) {
    std::erase_if(each->second, goes);
    each = each->second.empty() ? by_lpid_.erase(each) : std::next(each);
  }
}

void Peers::remove(BridgeId bridge) {
  remove_if([bridge](const BridgePeer& peer) { return peer.bridge == bridge; });
}

void Peers::remove(BridgeId bridge, Lpid lpid) {
  const std::lock_guard lock(mutex_);
  const auto found = by_lpid_.find(lpid);
  if (found == by_lpid_.end()) return;
  std::erase_if(found->second, [bridge](const BridgePeer& peer) { return peer.bridge == bridge; });
  if (found->second.empty()) by_lpid_.erase(found);
}

void Peers::freed(WorldId world) {
  remove_if([world](const BridgePeer& peer) { return peer.gpid.world == world; });
  const std::lock_guard lock(mutex_);
  lost_worlds_.erase(world);
}

void Peers::lose(BridgeId bridge) {
  const std::lock_guard lock(mutex_);
  for (auto& [lpid, peers] : by_lpid_) {
    for (BridgePeer& peer : peers) peer.is_lost = peer.is_lost || peer.bridge == bridge;
    std::stable_partition(peers.begin(), peers.end(), [](const BridgePeer& peer) { return !peer.is_lost; });
  }
}

void Peers::lose_world(WorldId world, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  lost_worlds_.try_emplace(world, LostWorld{reason});
}

bool Peers::is_news(WorldId world) {
  const std::lock_guard lock(mutex_);
  const auto found = lost_worlds_.find(world);
  return found == lost_worlds_.end() || !std::exchange(found->second.is_told, true);
}

std::string Peers::why_lost(WorldId world) const {
  const auto leads_there = [world](const BridgePeer& peer) {
    return peer.gpid.world == world && !peer.is_lost;
  };
  const std::lock_guard lock(mutex_);
  const auto found = lost_worlds_.find(world);
  if (found == lost_worlds_.end()) return {};
  const bool is_reached = std::ranges::any_of(
      by_lpid_, [&](const auto& each) { return std::ranges::any_of(each.second, leads_there); });
  return is_reached ? std::string() : found->second.reason;
}

}  // namespace comex::worlds
