// The worlds, processes and connections that one process knows, and the counts that keep each of them.
//
//   object      | up                          | down             | at zero
//   table       | added to a group            | group freed      | each connection released
//   connection  | added to a table            | table freed, ... | world's count down
//   world       | connection 0 -> nonzero     | connection -> 0  | world freed, unless it is the own one
//
// A connection counts the tables that contain it, and one for being attached: from its first table to its
// disconnection. Connections of the own world are always attached. They are counted from the existing
// tables, so ranges and strides of the own world cost nothing for each process. Lpids of the own world are
// its ranks. admit() gives those of other worlds, the lowest free one first, and they are freed with their
// world. Thread safe. Each worker has one from init to finalize; groups, runtime and worlds use it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "groups/directory.h"
#include "groups/table.h"
#include "groups/world_description.h"

namespace comex::groups {

class WorldRegistry {
 public:
  // `on_world_freed` is called without the registry's lock. `places` has the own world's rows, unless `own`
  // brings them. It outlives the registry.
  WorldRegistry(WorldDescription own, Worker me, std::function<void(WorldId)> on_world_freed = {},
                const Directory* places = nullptr);
  ~WorldRegistry();  // every Table must be destroyed before
  WorldRegistry(const WorldRegistry&) = delete;
  WorldRegistry& operator=(const WorldRegistry&) = delete;

  WorldId own_world() const { return own_world_; }
  Gpid me() const { return {own_world_, me_}; }

  // Makes a world known, with all connections at zero. A world that came along with another one,
  // `introducer`, is forgotten with it unless it has connections of its own. If it is known, only names are
  // compared; one that came along may be over, and another one may have its number by now.
  Status add_world(const WorldDescription& world, std::optional<WorldId> introducer = std::nullopt);
  // Adds one more introducer to a world that came along; it is forgotten with the last one. No effect on
  // others.
  void add_introducer(WorldId world, WorldId introducer);
  // After a failed joining: forgets a world without connections.
  void drop_unused(WorldId world);
  std::vector<WorldDescription> worlds() const;  // all known ones, by id; the own one without rows
  // Without those that only came along with others: nobody tells when one of these ends.
  std::vector<WorldDescription> met_worlds() const;
  Result<WorldDescription> world(WorldId world) const;
  Result<ConnectionData> connection_data(Gpid gpid) const;

  // Gives lpids to processes of known worlds: old ones stay, new ones follow the array's order. All or
  // nothing.
  Result<std::vector<Lpid>> admit(std::span<const Gpid> gpids);
  // Only looks up; no_lpid for a process that has none. A Failure names an unknown world or rank.
  Result<Lpid> lpid_of(Gpid gpid) const;
  Result<Gpid> gpid_of(Lpid lpid) const;
  std::uint32_t lpid_count() const;
  std::vector<Gpid> lpid_table() const;  // the processes of met worlds that have lpids, in order

  // The tables of the world group and of the self group.
  Table make_world_table() { return make_table(ConnectionTable::range(0, own_size_)); }
  Table make_self_table() { return make_table(ConnectionTable::range(static_cast<Lpid>(me_), 1)); }
  // Makes a table, which adds one to the count of each of its connections; its lpids must exist.
  Table make_table(ConnectionTable members);
  Table make_table(std::span<const Lpid> lpids) { return make_table(ConnectionTable::from(lpids)); }
  // Makes a table of some ranks of another one.
  Table subset(const Table& table, std::span<const std::uint32_t> ranks);

  // The counts, for introspection.
  Result<std::uint32_t> connection_references(Gpid gpid) const;
  Result<std::uint32_t> world_references(WorldId world) const;

 private:
  friend class Table;
  struct KnownWorld {
    WorldDescription description;
    std::uint32_t live = 0;            // connections with a count above zero
    std::vector<WorldId> introducers;  // known worlds that it came along with; empty: it was met directly
    std::vector<std::pair<std::uint32_t, Lpid>> lpids;  // by rank; empty for the own world
    bool is_met() const { return live != 0 || introducers.empty(); }
  };
  struct Peer {  // a process of another world
    Gpid gpid;
    std::uint32_t tables = 0;
    bool is_attached = false;
    bool is_free = true;
    std::uint32_t count() const { return tables + (is_attached ? 1 : 0); }
  };
  using Lpids = std::priority_queue<Lpid, std::vector<Lpid>, std::greater<>>;

  // In world_registry.cpp. All need the lock, but tell(), and insert(), which takes it.
  Status insert(const WorldDescription& world, std::optional<WorldId> introducer,
                std::vector<WorldId>& freed);
  bool is_own(Lpid lpid) const { return static_cast<std::uint32_t>(lpid) < own_size_; }
  Peer* peer_at(Lpid lpid);
  const Peer* peer_at(Lpid lpid) const;
  Result<const KnownWorld*> world_of(Gpid gpid) const;
  Lpid find_lpid(const KnownWorld& world, Gpid gpid) const;
  Lpid give_lpid(Gpid gpid);
  void tell(const std::vector<WorldId>& freed) const;  // after the lock is released

  // world_registry_tables.cpp
  void add_to_table(Peer& peer);
  // The worlds that are forgotten are added to `freed`.
  void remove_from_table(Peer& peer, bool disconnects, std::vector<WorldId>& freed);
  void free_world(WorldId world, std::vector<WorldId>& freed);
  void release(SharedTable* table, bool disconnects);
  template <class Visit>
  void for_each_peer(const ConnectionTable& members, Visit visit);

  const WorldId own_world_;
  const std::uint32_t own_size_;
  const Worker me_;
  const std::function<void(WorldId)> on_world_freed_;
  const Directory* places_;  // of the own world; not owned, may be null
  mutable std::mutex mutex_;
  std::map<WorldId, KnownWorld> worlds_;
  std::vector<Peer> peers_;  // by lpid - own_size_
  Lpids free_lpids_;
  std::set<SharedTable*> tables_;  // all that exist
};

}  // namespace comex::groups
