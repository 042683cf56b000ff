#include "op/remote/channels.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

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

Channel& Channels::look_up(TransportRank server) {
  auto found = channels_.find(server);
  if (found == channels_.end()) {
    if (sweep_.is_due(channels_.size())) retire_idle();
    found = channels_.try_emplace(server).first;  // nodes of an unordered_map stay in place
    Channel& channel = found->second;
    channel.rank = server;
    if (const IdlePeer* idle = idle_peers_.find(server)) {
      channel.world = idle->world;
      channel.sent = idle->sent;
      channel.limit = idle->sent + idle->credits;
      channel.sequence = idle->sequence;
      channel.credit_returns = idle->credit_returns;
      channel.issued = channel.applied = idle->issued;
    }
  }
  last_ = &found->second;
  return *last_;
}

void Channels::retire_idle() {
  std::vector<IdlePeer> idle;
  writes_.for_each_dirty([](const Channel&) {});  // takes clean channels off its list
  nb::forget(channels_, [&](const auto& each) {
    const Channel& channel = each.second;
    const std::uint64_t credits = channel.limit - channel.sent;
    if (!channel.is_idle() || credits > std::numeric_limits<std::uint32_t>::max()) return false;
    idle.push_back({channel.rank, channel.world, channel.sent, channel.issued,
                    static_cast<std::uint32_t>(credits), channel.sequence, channel.credit_returns});
    return true;
  });
  last_ = nullptr;
  sweep_.note_swept(channels_.size());
  idle_peers_.keep(std::move(idle));
}

void Channels::clear() {
  last_ = nullptr;
  channels_.clear();
}

void Channels::tidy() {
  if (sweep_.is_over(channels_.size())) [[unlikely]]
    retire_idle();
}

}  // namespace comex::op::remote
