// The ranks on a bridge's wire: what each says about itself, and what follows from it for everybody.
//
// It is pure: all ranks decide the same from the same rows. The server of a worker is the progress rank of
// its own world, if that is on the wire; else one of another world on its host that has attached the worker's
// arena; else the worker itself. Used by open_bridge and by progress ranks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/protocol.h"
#include "groups/directory.h"
#include "pr/setup/host_key.h"
#include "shm/arena.h"
#include "worlds/connect/side.h"

namespace comex::worlds {

// A trivially copyable row, exchanged as bytes.
struct BridgeRow {
  WorldId world = 0;
  Worker worker = 0;                   // of a worker
  TransportRank own_rank = no_rank;    // on the wire of its own world
  TransportRank own_server = no_rank;  // its server there; for a progress rank, itself
  std::uint32_t is_worker = 0;
  std::uint32_t host = 0;          // number of its host in its own world
  std::uint32_t slot = 0;          // host-local
  std::uint32_t virtual_host = 0;  // number among the virtual hosts of one machine
  std::uint32_t chunk_bytes = 0;   // of bodies, from its settings
  std::uint32_t spare = 0;
  std::uint64_t staging_reserve = 0;  // of its servers
  std::uint64_t base = 0;             // of its arena, in its own process
  pr::HostKey machine;
  shm::ArenaTicket ticket;          // of its arena
  groups::HostName host_name = {};  // cut if it is longer
};

class BridgeMap {
 public:
  // One bit for each of guest_arenas(rank) that this rank has attached, from the lowest bit up.
  using Attached = std::uint64_t;
  static constexpr std::size_t most_guests = 64;

  explicit BridgeMap(std::vector<BridgeRow> rows) : rows_(std::move(rows)) {}

  const BridgeRow& row(TransportRank rank) const { return rows_[static_cast<std::size_t>(rank)]; }
  TransportRank size() const { return static_cast<TransportRank>(rows_.size()); }
  bool is_worker(TransportRank rank) const { return row(rank).is_worker != 0; }
  Gpid gpid(TransportRank rank) const { return {row(rank).world, row(rank).worker}; }
  ProgressRankId progress_rank(TransportRank rank) const { return {row(rank).world, row(rank).own_rank}; }
  std::vector<TransportRank> workers() const;
  std::uint32_t chunk_bytes() const;      // the smallest of all
  std::uint64_t staging_reserve() const;  // the smallest of all
  bool spans_machines() const;
  std::vector<TransportRank> neighbours(TransportRank of) const;  // on its machine, with itself, ascending

  // The arenas of other worlds that `rank` may be able to map, each by the lowest rank of that arena.
  std::vector<TransportRank> guest_arenas(TransportRank rank) const;
  bool same_arena(TransportRank a, TransportRank b) const { return arena_of(a) == arena_of(b); }
  bool may_share_memory(TransportRank a, TransportRank b) const;

  // By rank: the server of a worker on this wire; no_rank for ranks that are no workers.
  std::vector<TransportRank> servers(std::span<const Attached> attached) const;

 private:
  using ArenaId = std::pair<WorldId, std::uint32_t>;  // the host's number in that world
  ArenaId arena_of(TransportRank rank) const { return {row(rank).world, row(rank).host}; }
  // The progress ranks that have attached each arena of another world, ascending.
  std::map<ArenaId, std::vector<TransportRank>> guest_servers(std::span<const Attached> attached) const;

  std::vector<BridgeRow> rows_;
};

// A worker on the wire, as a progress rank there sees it.
struct WorkerOnWire {
  bool is_of_own_world = false;
  bool is_served_here = false;
  std::optional<protocol::Leaving> left = std::nullopt;
};

enum class ServiceState : unsigned char {
  goes_on,
  is_for_guests,  // its own world has left; it serves guests until they leave too
  ends,           // before the bridge does, or with the last that leaves alone
  parts,          // all have left together
};

// Whether a progress rank has nobody left to serve on a bridge, while others may stay. A worker that has left
// a bridge has no group on it any more, so nobody accesses its memory over it. A progress rank is free when
// the workers of its world and those it serves have left; its world may then end. Workers of other worlds
// tell it that they leave only if all part together or it serves them.
ServiceState service_for(std::span<const WorkerOnWire> workers);

}  // namespace comex::worlds
