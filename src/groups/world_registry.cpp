#include "groups/world_registry.h"

#include <algorithm>
#include <string>

#include "core/diagnose.h"

namespace comex::groups {
namespace {

// Adds the own world's rows, for others to read.
void add_rows(const Directory& places, WorldDescription& description) {
  auto rows = std::make_shared<std::vector<ConnectionData>>();
  for (Worker worker = 0; worker < places.size(); ++worker) rows->push_back(places.connection_data(worker));
  description.rows = std::move(rows);
}

}  // namespace

WorldRegistry::WorldRegistry(WorldDescription own, Worker me, std::function<void(WorldId)> on_world_freed,
                             const Directory* places)
    : own_world_(own.id),
      own_size_(own.size),
      me_(me),
      on_world_freed_(std::move(on_world_freed)),
      places_(places) {
  KnownWorld& world = worlds_[own_world_];
  world.live = own_size_;
  world.description = std::move(own);
}

WorldRegistry::~WorldRegistry() {
  COMEX_BUG_IF(!tables_.empty());
}

void WorldRegistry::tell(const std::vector<WorldId>& freed) const {
  if (!on_world_freed_) return;
  for (const WorldId world : freed) on_world_freed_(world);
}

// ---- worlds ----

Status WorldRegistry::add_world(const WorldDescription& world, std::optional<WorldId> introducer) {
  std::vector<WorldId> freed;
  Status added = insert(world, introducer, freed);
  tell(freed);
  return added;
}

Status WorldRegistry::insert(const WorldDescription& world, std::optional<WorldId> introducer,
                             std::vector<WorldId>& freed) {
  const std::lock_guard lock(mutex_);
  auto found = worlds_.find(world.id);
  const bool is_same = found != worlds_.end() && found->second.description.nonce == world.nonce &&
                       found->second.description.size == world.size;
  if (found != worlds_.end() && !is_same && !found->second.is_met()) {
    free_world(world.id, freed);
    found = worlds_.end();
  }
  if (found == worlds_.end()) {
    KnownWorld& made = worlds_[world.id];
    made.description = world;
    if (introducer) made.introducers.push_back(*introducer);
    return {};
  }
  if (!is_same) {
    return caller_error("two worlds have the number " + std::to_string(world.id) +
                        "; launches that meet need different values of COMEX_MANAGER");
  }
  KnownWorld& known = found->second;
  if (!introducer) known.introducers.clear();  // it has been met directly by now
  if (!known.description.rows) known.description.rows = world.rows;
  return {};
}

void WorldRegistry::add_introducer(WorldId world, WorldId introducer) {
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(world);
  if (found == worlds_.end() || !worlds_.contains(introducer)) return;
  std::vector<WorldId>& introducers = found->second.introducers;
  if (introducers.empty() || std::ranges::find(introducers, introducer) != introducers.end()) return;
  introducers.push_back(introducer);
}

void WorldRegistry::drop_unused(WorldId world) {
  std::vector<WorldId> freed;
  {
    const std::lock_guard lock(mutex_);
    const auto found = worlds_.find(world);
    if (found == worlds_.end() || world == own_world_ || found->second.live != 0) return;
    free_world(world, freed);
  }
  tell(freed);
}

std::vector<WorldDescription> WorldRegistry::worlds() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorldDescription> found;
  found.reserve(worlds_.size());
  for (const auto& [id, world] : worlds_) found.push_back(world.description);
  return found;
}

std::vector<WorldDescription> WorldRegistry::met_worlds() const {
  const std::lock_guard lock(mutex_);
  std::vector<WorldDescription> found;
  for (const auto& [id, world] : worlds_) {
    if (world.is_met()) found.push_back(world.description);
  }
  return found;
}

Result<WorldDescription> WorldRegistry::world(WorldId world) const {
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(world);
  if (found == worlds_.end()) return caller_error("world " + std::to_string(world) + " is not known here");
  WorldDescription description = found->second.description;
  if (world == own_world_ && places_ != nullptr) add_rows(*places_, description);
  return description;
}

Result<ConnectionData> WorldRegistry::connection_data(Gpid gpid) const {
  const std::lock_guard lock(mutex_);
  const Result<const KnownWorld*> world = world_of(gpid);
  if (!world) return world.failure();
  if (gpid.world == own_world_ && places_ != nullptr) return places_->connection_data(gpid.rank);
  const auto& rows = world.value()->description.rows;
  return rows ? (*rows)[gpid.rank] : ConnectionData();
}

Result<const WorldRegistry::KnownWorld*> WorldRegistry::world_of(Gpid gpid) const {
  const auto found = worlds_.find(gpid.world);
  if (found == worlds_.end()) {
    return caller_error("gpid " + text_of(gpid) + ": world " + std::to_string(gpid.world) +
                        " is not known here");
  }
  const std::uint32_t size = found->second.description.size;
  if (gpid.rank >= size) {
    return caller_error("gpid " + text_of(gpid) + ": world " + std::to_string(gpid.world) +
                        " has ranks 0 to " + std::to_string(size - 1));
  }
  return &found->second;
}

// ---- lpids ----

WorldRegistry::Peer* WorldRegistry::peer_at(Lpid lpid) {
  const auto index = static_cast<std::size_t>(lpid) - own_size_;
  return lpid < 0 || is_own(lpid) || index >= peers_.size() || peers_[index].is_free ? nullptr
                                                                                     : &peers_[index];
}

const WorldRegistry::Peer* WorldRegistry::peer_at(Lpid lpid) const {
  return const_cast<WorldRegistry*>(this)->peer_at(lpid);
}

Lpid WorldRegistry::find_lpid(const KnownWorld& world, Gpid gpid) const {
  if (gpid.world == own_world_) return static_cast<Lpid>(gpid.rank);
  const auto at =
      std::ranges::lower_bound(world.lpids, gpid.rank, {}, &std::pair<std::uint32_t, Lpid>::first);
  return at != world.lpids.end() && at->first == gpid.rank ? at->second : no_lpid;
}

Lpid WorldRegistry::give_lpid(Gpid gpid) {
  Lpid lpid = static_cast<Lpid>(own_size_ + peers_.size());
  if (free_lpids_.empty()) {
    peers_.emplace_back();
  } else {
    lpid = free_lpids_.top();
    free_lpids_.pop();
  }
  Peer& peer = peers_[static_cast<std::size_t>(lpid) - own_size_];
  peer = {};
  peer.gpid = gpid;
  peer.is_free = false;
  auto& lpids = worlds_.at(gpid.world).lpids;
  const auto at = std::ranges::lower_bound(lpids, gpid.rank, {}, &std::pair<std::uint32_t, Lpid>::first);
  lpids.insert(at, {gpid.rank, lpid});
  return lpid;
}

Result<std::vector<Lpid>> WorldRegistry::admit(std::span<const Gpid> gpids) {
  const std::lock_guard lock(mutex_);
  for (const Gpid gpid : gpids) {
    if (Result<const KnownWorld*> world = world_of(gpid); !world) return world.take_failure();
  }
  std::vector<Lpid> lpids;
  lpids.reserve(gpids.size());
  for (const Gpid gpid : gpids) {
    const Lpid known = find_lpid(worlds_.at(gpid.world), gpid);
    lpids.push_back(known != no_lpid ? known : give_lpid(gpid));
  }
  return lpids;
}

Result<Lpid> WorldRegistry::lpid_of(Gpid gpid) const {
  const std::lock_guard lock(mutex_);
  Result<const KnownWorld*> world = world_of(gpid);
  if (!world) return world.take_failure();
  return find_lpid(*world.value(), gpid);
}

Result<Gpid> WorldRegistry::gpid_of(Lpid lpid) const {
  if (lpid >= 0 && is_own(lpid)) return Gpid{own_world_, static_cast<std::uint32_t>(lpid)};
  const std::lock_guard lock(mutex_);
  const Peer* peer = peer_at(lpid);
  if (peer == nullptr) return caller_error("lpid " + std::to_string(lpid) + " names no process here");
  return peer->gpid;
}

std::uint32_t WorldRegistry::lpid_count() const {
  const std::lock_guard lock(mutex_);
  return own_size_ + static_cast<std::uint32_t>(peers_.size() - free_lpids_.size());
}

std::vector<Gpid> WorldRegistry::lpid_table() const {
  const std::lock_guard lock(mutex_);
  std::vector<Gpid> table;
  table.reserve(own_size_ + peers_.size());
  for (std::uint32_t rank = 0; rank < own_size_; ++rank) table.push_back({own_world_, rank});
  for (const Peer& peer : peers_) {
    if (!peer.is_free && worlds_.at(peer.gpid.world).is_met()) table.push_back(peer.gpid);
  }
  return table;
}

}  // namespace comex::groups
