// The part of WorldRegistry that counts tables and connections and forgets worlds that nobody needs.
#include <algorithm>
#include <string>

#include "groups/world_registry.h"

namespace comex::groups {

// Visits each member of other worlds once, even if it has several endpoints. A table of the own world alone
// takes no time for each member.
template <class Visit>
void WorldRegistry::for_each_peer(const ConnectionTable& members, Visit visit) {
  if (members.lies_below(static_cast<Lpid>(own_size_))) return;
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    const Lpid lpid = members.lpid(rank);
    if (lpid >= 0 && is_own(lpid)) continue;
    if (members.rank_of(lpid) != static_cast<int>(rank)) continue;
    Peer* peer = peer_at(lpid);
    COMEX_BUG_IF(peer == nullptr);
    visit(*peer);
  }
}

void WorldRegistry::add_to_table(Peer& peer) {
  if (peer.count() == 0) ++worlds_.at(peer.gpid.world).live;
  ++peer.tables;
  peer.is_attached = true;
}

// The connection may be over afterwards, and its world with it.
void WorldRegistry::remove_from_table(Peer& peer, bool disconnects, std::vector<WorldId>& freed) {
  --peer.tables;
  if (disconnects && peer.tables == 0) peer.is_attached = false;
  if (peer.count() != 0) return;
  const WorldId world = peer.gpid.world;
  if (--worlds_.at(world).live == 0) free_world(world, freed);
}

// Worlds that came along with this one alone are forgotten too, unless somebody needs them.
void WorldRegistry::free_world(WorldId world, std::vector<WorldId>& freed) {
  const auto found = worlds_.find(world);
  COMEX_BUG_IF(found == worlds_.end() || world == own_world_);
  for (const auto& [rank, lpid] : found->second.lpids) {
    peers_[static_cast<std::size_t>(lpid) - own_size_] = {};
    free_lpids_.push(lpid);
  }
  worlds_.erase(found);
  freed.push_back(world);
  std::vector<WorldId> followers;
  for (auto& [id, other] : worlds_) {
    const bool was_introduced = std::erase(other.introducers, world) != 0;
    if (was_introduced && other.introducers.empty() && other.live == 0) followers.push_back(id);
  }
  for (const WorldId follower : followers) free_world(follower, freed);
}

Table WorldRegistry::make_table(ConnectionTable members) {
  auto* made = new SharedTable{this, std::move(members), 1};
  const std::lock_guard lock(mutex_);
  tables_.insert(made);
  for_each_peer(made->members, [this](Peer& peer) { add_to_table(peer); });
  return Table(made);
}

Table WorldRegistry::subset(const Table& table, std::span<const std::uint32_t> ranks) {
  return make_table(table.members().lpids(ranks));
}

void WorldRegistry::release(SharedTable* table, bool disconnects) {
  std::vector<WorldId> freed;
  {
    const std::lock_guard lock(mutex_);
    if (--table->references != 0) return;
    tables_.erase(table);
    for_each_peer(table->members, [&](Peer& peer) { remove_from_table(peer, disconnects, freed); });
  }
  delete table;
  tell(freed);
}

// ---- counts ----

Result<std::uint32_t> WorldRegistry::connection_references(Gpid gpid) const {
  const std::lock_guard lock(mutex_);
  const Result<const KnownWorld*> world = world_of(gpid);
  if (!world) return world.failure();
  const Lpid lpid = find_lpid(*world.value(), gpid);
  if (lpid == no_lpid) return 0u;
  if (gpid.world != own_world_) return peer_at(lpid)->count();
  std::uint32_t count = 1;
  for (const SharedTable* table : tables_) {
    if (table->members.rank_of(lpid) >= 0) ++count;
  }
  return count;
}

Result<std::uint32_t> WorldRegistry::world_references(WorldId world) const {
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(world);
  if (found == worlds_.end()) return caller_error("world " + std::to_string(world) + " is not known here");
  return found->second.live;
}

// ---- the references of Table ----

std::uint32_t Table::references() const {
  const std::lock_guard lock(shared_->registry->mutex_);
  return shared_->references;
}

Table Table::dup() const {
  if (shared_ == nullptr) return {};
  const std::lock_guard lock(shared_->registry->mutex_);
  ++shared_->references;
  return Table(shared_);
}

void Table::free() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->registry->release(shared, false);
}

void Table::disconnect() {
  if (SharedTable* shared = std::exchange(shared_, nullptr)) shared->registry->release(shared, true);
}

}  // namespace comex::groups
