#include "op/remote/channels.h"

#include <limits>
#include <utility>
#include <vector>

namespace comex::op::remote {

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
