// Servers with nothing under way rest: of each only a few numbers are kept, and what is taken for traffic
// goes back. Before there would be more channels than twice those that were needed, and after a fence of all.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "op/remote.h"

namespace comex::op {

using remote::Channel;
using remote::IdlePeer;

// A channel with unapplied writes stays: whoever is dirty has one, so a fence of all makes none.
Remote::Channel& Remote::look_up(TransportRank server) {
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
      channel.surrenders = idle->surrenders;
      ledger_.resume(server, idle->issued);
    }
  }
  last_channel_ = &found->second;
  return *last_channel_;
}

void Remote::retire_idle() {
  std::vector<IdlePeer> idle;
  ledger_.for_each_dirty([](TransportRank) {});  // takes note of who is not
  nb::forget(channels_, [&](const auto& each) {
    const Channel& channel = each.second;
    const std::uint64_t credits = channel.limit - channel.sent;
    if (!channel.is_idle() || ledger_.dirty(channel.rank) ||
        credits > std::numeric_limits<std::uint32_t>::max())
      return false;
    idle.push_back({channel.rank, channel.world, channel.sent, ledger_.forget_server(channel.rank),
                    static_cast<std::uint32_t>(credits), channel.sequence, channel.surrenders});
    return true;
  });
  last_channel_ = nullptr;
  sweep_.has_left(channels_.size());
  idle_peers_.keep(std::move(idle));
}

void Remote::tidy() {
  if (sweep_.is_over(channels_.size())) [[unlikely]]
    retire_idle();
  ledger_.tidy();
  requests_.tidy();
  transfers_.tidy();
  batches_.tidy();
  slots_.tidy();
  nb::give_back_room(waiting_);
  nb::give_back_room(moving_);
  if (free_staging_.size() == staging_.size() && staging_.size() > most_staging_) {
    staging_.resize(most_staging_);
    free_staging_.clear();
    for (const auto& buffer : staging_) free_staging_.push_back(buffer.get());
  }
  most_staging_ = staging_.size() - free_staging_.size();
}

}  // namespace comex::op
