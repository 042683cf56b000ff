// The part of WorldBook that counts tables and connections and forgets worlds that nobody needs.
#include <algorithm>
#include <string>

#include "groups/world_book.h"

namespace comex::groups {

// Visits each member of other worlds once, even if it has several endpoints. A table of the own world alone
// takes no time for each member.
template <class Visit>
void WorldBook::for_each_peer(const ConnectionTable& members, Visit visit) {
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

void WorldBook::raise(Peer& peer, std::uint32_t& counter, PendingNotifications& pending) {
  const bool was_zero = peer.count() == 0;
  ++counter;
  if (!was_zero) return;
  ++worlds_.at(peer.gpid.world).live;
  pending.opened.push_back(peer.gpid);
}

// Call it after the count fell from `before`: the connection may be over, and its world with it.
void WorldBook::settle(Peer& peer, std::uint32_t before, PendingNotifications& pending) {
  if (peer.is_leaving && peer.tables + peer.holds == 0) peer.is_attached = peer.is_leaving = false;
  if (before == 0 || peer.count() != 0) return;
  const Gpid gone = peer.gpid;
  pending.closed.push_back(gone);
  if (--worlds_.at(gone.world).live == 0) free_world(gone.world, pending);
}

// Worlds that came along with this one alone are forgotten too, unless somebody needs them.
void WorldBook::free_world(WorldId world, PendingNotifications& pending) {
  const auto found = worlds_.find(world);
  COMEX_BUG_IF(found == worlds_.end() || world == own_world_);
  for (const auto& [rank, lpid] : found->second.lpids) {
    peers_[static_cast<std::size_t>(lpid) - own_size_] = {};
    free_lpids_.push(lpid);
  }
  worlds_.erase(found);
  pending.freed.push_back(world);
  std::vector<WorldId> followers;
  for (auto& [id, other] : worlds_) {
    const bool was_brought = std::erase(other.bringers, world) != 0;
    if (was_brought && other.bringers.empty() && other.live == 0) followers.push_back(id);
  }
  for (const WorldId follower : followers) free_world(follower, pending);
}

Table WorldBook::make_table(ConnectionTable members) {
  auto* made = new SharedTable{this, std::move(members), 1, nullptr, nullptr};
  PendingNotifications pending;
  {
    const std::lock_guard lock(mutex_);
    made->behind = tables_;
    if (tables_ != nullptr) tables_->before = made;
    tables_ = made;
    for_each_peer(made->members, [&](Peer& peer) {
      raise(peer, peer.tables, pending);
      peer.is_attached = true;
      peer.is_leaving = false;
    });
  }
  tell(pending);
  return Table(made);
}

Table WorldBook::subset(const Table& table, std::span<const std::uint32_t> ranks) {
  std::vector<Lpid> lpids;
  lpids.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) lpids.push_back(table.members().lpid(rank));
  return make_table(lpids);
}

std::uint32_t WorldBook::references_of(const SharedTable& table) const {
  const std::lock_guard lock(mutex_);
  return table.references;
}

SharedTable* WorldBook::share(SharedTable* table) {
  const std::lock_guard lock(mutex_);
  ++table->references;
  return table;
}

void WorldBook::unlink(SharedTable* table) {
  (table->before == nullptr ? tables_ : table->before->behind) = table->behind;
  if (table->behind != nullptr) table->behind->before = table->before;
}

void WorldBook::release(SharedTable* table, bool disconnects) {
  PendingNotifications pending;
  {
    const std::lock_guard lock(mutex_);
    if (--table->references != 0) return;
    unlink(table);
    for_each_peer(table->members, [&](Peer& peer) {
      const std::uint32_t before = peer.count();
      --peer.tables;
      if (disconnects && peer.tables == 0) peer.is_leaving = true;
      settle(peer, before, pending);
    });
  }
  delete table;
  tell(pending);
}

// ---- what is under way ----

Result<Lpid> WorldBook::take(Gpid gpid) {
  PendingNotifications pending;
  Lpid lpid = no_lpid;
  {
    const std::lock_guard lock(mutex_);
    Result<std::vector<Lpid>> given = admit_locked(std::span(&gpid, 1));
    if (!given) return given.take_failure();
    lpid = given->front();
    if (is_own(lpid)) {
      ++own_holds_[lpid];
    } else {
      Peer& peer = *peer_at(lpid);
      raise(peer, peer.holds, pending);
    }
  }
  tell(pending);
  return lpid;
}

void WorldBook::release(Lpid lpid) {
  PendingNotifications pending;
  {
    const std::lock_guard lock(mutex_);
    if (lpid >= 0 && is_own(lpid)) {
      const auto held = own_holds_.find(lpid);
      COMEX_BUG_IF(held == own_holds_.end());
      if (--held->second == 0) own_holds_.erase(held);
      return;
    }
    Peer* peer = peer_at(lpid);
    COMEX_BUG_IF(peer == nullptr || peer->holds == 0);
    const std::uint32_t before = peer->count();
    --peer->holds;
    settle(*peer, before, pending);
  }
  tell(pending);
}

// ---- counts ----

Result<std::uint32_t> WorldBook::connection_references(Gpid gpid) const {
  const std::lock_guard lock(mutex_);
  const Result<const KnownWorld*> world = world_of(gpid);
  if (!world) return world.failure();
  const Lpid lpid = find_lpid(*world.value(), gpid);
  if (lpid == no_lpid) return 0u;
  if (gpid.world != own_world_) return peer_at(lpid)->count();
  const auto held = own_holds_.find(lpid);
  std::uint32_t count = 1 + (held == own_holds_.end() ? 0 : held->second);
  for (const SharedTable* table = tables_; table != nullptr; table = table->behind) {
    if (table->members.rank_of(lpid) >= 0) ++count;
  }
  return count;
}

Result<std::uint32_t> WorldBook::world_references(WorldId world) const {
  const std::lock_guard lock(mutex_);
  const auto found = worlds_.find(world);
  if (found == worlds_.end()) return caller_error("world " + std::to_string(world) + " is not known here");
  return found->second.live;
}

}  // namespace comex::groups
