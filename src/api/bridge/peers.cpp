#include "api/bridge/peers.h"

#include <algorithm>

namespace comex::api {

bool Peers::find(Lpid lpid, Peer& peer) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_lpid_.find(lpid);
  if (found == by_lpid_.end()) return false;
  peer = found->second.front();
  return true;
}

void Peers::add(Lpid lpid, const Peer& peer) {
  const std::lock_guard lock(mutex_);
  by_lpid_[lpid].push_back(peer);
}

void Peers::remove(BridgeId bridge) {
  const std::lock_guard lock(mutex_);
  for (auto each = by_lpid_.begin(); each != by_lpid_.end();) {
    std::erase_if(each->second, [bridge](const Peer& peer) { return peer.bridge == bridge; });
    each = each->second.empty() ? by_lpid_.erase(each) : std::next(each);
  }
}

TransportRank Peers::rank_in(BridgeId bridge, Lpid lpid) const {
  const std::lock_guard lock(mutex_);
  const auto found = by_lpid_.find(lpid);
  if (found == by_lpid_.end()) return no_rank;
  const auto peer = std::ranges::find(found->second, bridge, &Peer::bridge);
  return peer == found->second.end() ? no_rank : peer->place.rank;
}

}  // namespace comex::api
