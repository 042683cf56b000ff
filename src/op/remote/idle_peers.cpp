#include "op/remote/idle_peers.h"

#include <algorithm>

namespace comex::op::remote {

const IdlePeer* IdlePeers::find(TransportRank rank) const {
  const auto found = std::ranges::lower_bound(idle_peers_, rank, {}, &IdlePeer::rank);
  return found != idle_peers_.end() && found->rank == rank ? &*found : nullptr;
}

void IdlePeers::keep(std::vector<IdlePeer> idle) {
  const auto is_new = [this](const IdlePeer& each) { return find(each.rank) == nullptr; };
  const auto known = std::partition(idle.begin(), idle.end(), is_new);
  for (auto each = known; each != idle.end(); ++each)
    *std::ranges::lower_bound(idle_peers_, each->rank, {}, &IdlePeer::rank) = *each;
  idle.erase(known, idle.end());
  if (idle.empty()) return;
  std::ranges::sort(idle, {}, &IdlePeer::rank);
  idle_peers_.reserve(idle_peers_.size() + idle.size());  // no larger capacity than needed
  const auto middle = idle_peers_.insert(idle_peers_.end(), idle.begin(), idle.end());
  std::ranges::inplace_merge(idle_peers_, middle, {}, &IdlePeer::rank);
}

}  // namespace comex::op::remote
