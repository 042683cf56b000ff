// The worlds, processes and connections that one process knows, and what keeps each of them.
//
//   object      | up                          | down             | at zero
//   table       | added to a group            | group freed      | each connection released
//   connection  | added to a table, held      | table freed, ... | world's count down
//   world       | connection 0 -> nonzero     | connection -> 0  | world freed, unless it is the own one
//
// A connection counts the tables it is in, what holds it, and one for being attached: from its first table to
// its disconnection. The own world's are always attached; they are counted from the tables that are there, so
// that ranges and strides of the own world cost nothing for each process. Lpids of the own world are its
// ranks; those of others are given by admit(), lowest free first, and go with their world. Thread safe. One
// for each worker from init to finalize; used by groups, by runtime and by whoever joins worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "groups/process_group.h"
#include "groups/table.h"
#include "groups/world_description.h"

namespace comex::groups {

// Whoever carries connections hears of each once when it comes into use and once when it is over. Called
// without the book's lock.
class ConnectionListener {
 public:
  virtual ~ConnectionListener() = default;
  virtual void opened(Gpid gpid) = 0;
  virtual void closed(Gpid gpid) = 0;
  virtual void freed(WorldId world) = 0;
};

class WorldBook {
 public:
  // places: where the own world's rows are, unless `own` brings them. Outlives the book.
  WorldBook(WorldDescription own, Worker me, ConnectionListener* listener = nullptr,
            const ProcessGroup* places = nullptr);
  ~WorldBook();  // every Table is gone by then
  WorldBook(const WorldBook&) = delete;
  WorldBook& operator=(const WorldBook&) = delete;

  WorldId own_world() const { return own_world_; }
  Gpid me() const { return {own_world_, me_}; }

  // Makes a world known, with all connections at zero. One that came along with another, `bringer`, goes with
  // it unless it has connections of its own by then. Known already: nothing happens if the names agree.
  Status add_world(const WorldDescription& world, std::optional<WorldId> bringer = std::nullopt);
  // One more that knows a world which came along: it goes with the last of them. Others are left alone.
  void add_bringer(WorldId world, WorldId bringer);
  // When it came to nothing: forgets a world without connections.
  void drop_unused(WorldId world);
  std::vector<WorldDescription> worlds() const;  // all that are known, by id; the own one without rows
  Result<WorldDescription> world(WorldId world) const;
  Result<ConnectionData> connection_data(Gpid gpid) const;

  // Lpids for processes of known worlds: old ones stay, new ones are given in the order of the array. All or
  // nothing.
  Result<std::vector<Lpid>> admit(std::span<const Gpid> gpids);
  // Only looks up; no_lpid for a process that has none. A failure names an unknown world or rank.
  Result<Lpid> lpid_of(Gpid gpid) const;
  Result<Gpid> gpid_of(Lpid lpid) const;
  std::uint32_t lpid_count() const;
  std::vector<Gpid> lpid_table() const;  // of all lpids, in their order

  // What the groups of all and of the caller alone begin with.
  Table make_world_table() { return make_table(ConnectionTable::range(0, own_size_)); }
  Table make_self_table() { return make_table(ConnectionTable::range(static_cast<Lpid>(me_), 1)); }
  // A new table, which adds to each of its connections; its lpids have been given.
  Table make_table(ConnectionTable members);
  Table make_table(std::span<const Lpid> lpids) { return make_table(ConnectionTable::from(lpids)); }
  // A new table of some ranks of an old one.
  Table subset(const Table& table, std::span<const std::uint32_t> ranks);

  // For what is under way without a table, as a connect is (Held). Gives an lpid, and works from zero.
  Result<Lpid> take(Gpid gpid);
  void release(Lpid lpid);

  // Counts, for introspection.
  Result<std::uint32_t> connection_references(Gpid gpid) const;
  Result<std::uint32_t> world_references(WorldId world) const;

 private:
  friend class Table;
  struct World {
    WorldDescription description;
    std::uint32_t live = 0;         // connections that are not zero
    std::vector<WorldId> bringers;  // that it came along with and that are left; none: it was met
    std::vector<std::pair<std::uint32_t, Lpid>> lpids;  // by rank; empty for the own world
  };
  struct Peer {  // a process of another world
    Gpid gpid;
    std::uint32_t tables = 0;
    std::uint32_t holds = 0;
    bool is_attached = false;
    bool is_leaving = false;  // disconnected while held: leaves with the last hold
    bool is_free = true;
    std::uint32_t count() const { return tables + holds + (is_attached ? 1 : 0); }
  };
  struct Happened {  // told when the lock is gone
    std::vector<Gpid> opened;
    std::vector<Gpid> closed;
    std::vector<WorldId> freed;
  };
  using Lpids = std::priority_queue<Lpid, std::vector<Lpid>, std::greater<>>;

  // world_book.cpp; all under the lock but tell()
  bool is_own(Lpid lpid) const { return static_cast<std::uint32_t>(lpid) < own_size_; }
  Peer* peer_at(Lpid lpid);
  const Peer* peer_at(Lpid lpid) const;
  Result<const World*> world_of(Gpid gpid) const;
  Lpid find_lpid(const World& world, Gpid gpid) const;
  Lpid give_lpid(Gpid gpid);
  Result<std::vector<Lpid>> admit_locked(std::span<const Gpid> gpids);
  void tell(const Happened& happened) const;

  // world_book_tables.cpp
  void raise(Peer& peer, std::uint32_t& counter, Happened& happened);
  void settle(Peer& peer, std::uint32_t before, Happened& happened);
  void free_world(WorldId world, Happened& happened);
  std::uint32_t references_of(const SharedTable& table) const;
  SharedTable* share(SharedTable* table);
  void release(SharedTable* table, bool disconnects);
  void unlink(SharedTable* table);
  template <class Visit>
  void for_each_peer(const ConnectionTable& members, Visit visit);

  const WorldId own_world_;
  const std::uint32_t own_size_;
  const Worker me_;
  ConnectionListener* listener_;  // not owned; may be null
  const ProcessGroup* places_;    // of the own world; likewise
  mutable std::mutex mutex_;
  std::map<WorldId, World> worlds_;
  std::vector<Peer> peers_;  // by lpid - own_size_
  Lpids free_lpids_;
  std::unordered_map<Lpid, std::uint32_t> own_holds_;
  SharedTable* tables_ = nullptr;  // all that are alive
};

}  // namespace comex::groups
