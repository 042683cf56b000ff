#include "worlds/bridge/bridge_map.h"

#include <algorithm>
#include <utility>

namespace comex::worlds {

std::vector<TransportRank> BridgeMap::workers() const {
  std::vector<TransportRank> found;
  for (TransportRank rank = 0; rank < size(); ++rank) {
    if (is_worker(rank)) found.push_back(rank);
  }
  return found;
}

std::uint32_t BridgeMap::chunk_bytes() const {
  return std::ranges::min_element(rows_, {}, &BridgeRow::chunk_bytes)->chunk_bytes;
}

std::uint64_t BridgeMap::staging_reserve() const {
  return std::ranges::min_element(rows_, {}, &BridgeRow::staging_reserve)->staging_reserve;
}

bool BridgeMap::spans_machines() const {
  return std::ranges::any_of(rows_,
                             [&](const BridgeRow& row) { return row.machine != rows_.front().machine; });
}

std::vector<TransportRank> BridgeMap::neighbours(TransportRank of) const {
  std::vector<TransportRank> found;
  for (TransportRank rank = 0; rank < size(); ++rank) {
    if (row(rank).machine == row(of).machine) found.push_back(rank);
  }
  return found;
}

// True if both have the same virtual host number, since virtual hosts of one machine share no memory.
bool BridgeMap::may_share_memory(TransportRank a, TransportRank b) const {
  return row(a).machine == row(b).machine && row(a).virtual_host == row(b).virtual_host;
}

std::vector<TransportRank> BridgeMap::guest_arenas(TransportRank rank) const {
  std::vector<TransportRank> found;
  for (TransportRank other = 0; other < size() && found.size() < most_guests; ++other) {
    if (row(other).world == row(rank).world || !may_share_memory(other, rank)) continue;
    const auto known = [&](TransportRank arena) { return same_arena(arena, other); };
    if (std::ranges::none_of(found, known)) found.push_back(other);
  }
  return found;
}

std::map<BridgeMap::ArenaId, std::vector<TransportRank>> BridgeMap::guest_servers(
    std::span<const Attached> attached) const {
  std::map<ArenaId, std::vector<TransportRank>> found;
  for (TransportRank rank = 0; rank < size(); ++rank) {
    if (is_worker(rank)) continue;
    const std::vector<TransportRank> guests = guest_arenas(rank);
    for (std::size_t bit = 0; bit < guests.size(); ++bit) {
      if ((attached[static_cast<std::size_t>(rank)] >> bit & 1u) != 0)
        found[arena_of(guests[bit])].push_back(rank);
    }
  }
  return found;
}

// Workers of one arena are distributed in turn over the guests that can serve them.
std::vector<TransportRank> BridgeMap::servers(std::span<const Attached> attached) const {
  std::map<std::pair<WorldId, TransportRank>, TransportRank> here;
  for (TransportRank rank = 0; rank < size(); ++rank) here[{row(rank).world, row(rank).own_rank}] = rank;
  const std::map<ArenaId, std::vector<TransportRank>> able = guest_servers(attached);
  std::vector<TransportRank> servers(rows_.size(), no_rank);
  for (const TransportRank worker : workers()) {
    const BridgeRow& own = row(worker);
    const auto server = here.find({own.world, own.own_server});
    const auto guests = able.find(arena_of(worker));
    TransportRank& chosen = servers[static_cast<std::size_t>(worker)] = worker;
    if (own.own_server != own.own_rank && server != here.end()) {
      chosen = server->second;
    } else if (guests != able.end()) {
      chosen = guests->second[own.slot % guests->second.size()];
    }
  }
  return servers;
}

ServiceState service_for(std::span<const WorkerOnWire> workers) {
  using protocol::Leaving;
  const auto each_has = [&](auto&& holds) { return std::ranges::all_of(workers, holds); };
  if (each_has([](const WorkerOnWire& each) { return each.left == Leaving::together; }))
    return ServiceState::parts;
  // A world that finalizes without parting reports its end when it comes.
  const bool has_gone =
      each_has([](const WorkerOnWire& each) { return !each.is_of_own_world || each.left == Leaving::alone; });
  if (!has_gone) return ServiceState::goes_on;
  const bool is_needed =
      !each_has([](const WorkerOnWire& each) { return !each.is_served_here || each.left.has_value(); });
  return is_needed ? ServiceState::is_for_guests : ServiceState::ends;
}

}  // namespace comex::worlds
