// Servers with nothing under way rest: of each only a few numbers are kept, and what is taken for traffic
// goes back. Before there would be more links than twice those that were needed, and after a fence of all.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "op/remote.h"

namespace comex::op {

using remote::Link;
using remote::Rest;

// A link with unapplied writes stays: whoever is dirty has one, so a fence of all makes none.
Remote::Link& Remote::look_up(TransportRank server) {
  auto found = links_.find(server);
  if (found == links_.end()) {
    if (sweep_.is_due(links_.size())) rest();
    found = links_.try_emplace(server).first;  // nodes of an unordered_map stay in place
    Link& link = found->second;
    link.rank = server;
    if (const Rest* rest = rests_.find(server)) {
      link.world = rest->world;
      link.sent = rest->sent;
      link.limit = rest->sent + rest->credits;
      link.sequence = rest->sequence;
      link.surrenders = rest->surrenders;
      ledger_.resume(server, rest->issued);
    }
  }
  last_link_ = &found->second;
  return *last_link_;
}

// Whether each small write is fenced is forgotten: it is learned again.
void Remote::rest() {
  std::vector<Rest> rested;
  ledger_.for_each_dirty([](TransportRank) {});  // takes note of who is not
  nb::forget(links_, [&](const auto& each) {
    const Link& link = each.second;
    const std::uint64_t credits = link.limit - link.sent;
    if (!link.is_idle() || ledger_.dirty(link.rank) || credits > std::numeric_limits<std::uint32_t>::max())
      return false;
    rested.push_back({link.rank, link.world, link.sent, ledger_.forget_server(link.rank),
                      static_cast<std::uint32_t>(credits), link.sequence, link.surrenders});
    return true;
  });
  last_link_ = nullptr;
  sweep_.has_left(links_.size());
  rests_.keep(std::move(rested));
}

void Remote::tidy() {
  if (sweep_.is_over(links_.size())) [[unlikely]]
    rest();
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
