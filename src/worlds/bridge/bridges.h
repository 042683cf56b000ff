// The open bridges of a worker, the processes they lead to, and the groups that keep these connected.
//
// The calls of bridge.h open and close them, one at a time. Every operation that leaves the own world looks
// up its target: by lpid, over the oldest bridge that leads there and is not lost. An lpid may be used again
// when its world is forgotten: the registry reports this, and all ways to that world are removed, even if a
// bridge is open. Any thread may call. Part of JoinedWorlds; open bridges close when the runtime does.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "op/control_messages.h"
#include "op/remote/remote.h"
#include "runtime/other_worlds.h"
#include "worlds/bridge/bridge_endpoint.h"

namespace comex::worlds {

struct Bridge {
  Bridge(std::unique_ptr<BridgeEndpoint> meeting, const op::RemoteOptions& options)
      : point(std::move(meeting)), remote(*point->transport, options), control(*point->transport) {}

  std::unique_ptr<BridgeEndpoint> point;
  op::Remote remote;
  op::ControlMessages control;
  std::unordered_map<Lpid, TransportRank> ranks;  // of all its workers, also of the own world

  transport::MpiTransport& transport() const { return *point->transport; }
};

// The ways to processes of other worlds. They point to parts of their bridge, which outlives the operations.
using BridgePeers = std::unordered_map<Lpid, runtime::Reach>;

// The groups over one bridge that were freed but not disconnected. Their members stay connected.
//
// All members of a group free it together, and they disconnect together any group that includes it. So all of
// them know the same.
class FreedGroups {
 public:
  using Members = std::set<Gpid>;  // each once, also where it has several endpoints

  void add(Members members) {
    if (!has(members)) groups_.push_back(std::move(members));
  }
  // A group with these members was disconnected, which also releases the freed groups within it.
  void disconnected(const Members& members) {
    std::erase_if(groups_, [&](const Members& freed) { return std::ranges::includes(members, freed); });
  }
  // The others of its groups are still connected with each other.
  void world_gone(WorldId world) {
    for (Members& freed : groups_) std::erase_if(freed, [&](Gpid gpid) { return gpid.world == world; });
    std::erase_if(groups_, [](const Members& freed) {
      return freed.empty() || freed.begin()->world == freed.rbegin()->world;
    });
  }

  bool has_any() const { return !groups_.empty(); }
  // True if one of the freed groups has all of these members.
  bool has(const Members& members) const {
    return std::ranges::any_of(groups_,
                               [&](const Members& freed) { return std::ranges::includes(freed, members); });
  }

 private:
  std::vector<Members> groups_;
};

class Bridges {
 public:
  // Null when the bridge has been taken down. A found bridge does not change while the caller holds the
  // engine lock or a group is on it. Otherwise another thread may take it down; then only its wire may still
  // be read.
  std::shared_ptr<Bridge> find(BridgeId id) const;
  BridgeId add(std::unique_ptr<Bridge> bridge, BridgePeers peers);
  void remove(BridgeId id);
  std::vector<BridgeId> ids() const;

  bool find_peer(Lpid lpid, runtime::Reach& found) const;
  void forget_peer(BridgeId id, Lpid lpid);  // the others on the bridge are still reached over it

  // Records that an open bridge is lost with a world. True if this is news of the world: it was not lost, or
  // another bridge has led there since.
  bool lose(BridgeId id, WorldId world, const std::string& reason);
  std::string why_lost(BridgeId id) const;          // empty: it is not lost
  std::string why_world_lost(WorldId world) const;  // empty: it is not lost, or another bridge leads there
  void freed(WorldId world);  // nothing leads there any more, and its number may be used again

  // look(the groups freed over a bridge), under the lock; over one that is gone there are none.
  template <class Look>
  auto with_freed_groups(BridgeId id, const Look& look) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    FreedGroups none;
    return look(found == open_.end() ? none : found->second.freed_groups);
  }

  GuestArenas arenas;
  // Several threads may find bridges over which nothing leads any more. One at a time takes them down.
  std::mutex leaving;

 private:
  struct OpenBridge {
    std::shared_ptr<Bridge> bridge;
    BridgePeers peers = {};
    std::string lost = {};  // why; empty: it is not
    FreedGroups freed_groups = {};
  };

  mutable std::mutex mutex_;
  std::map<BridgeId, OpenBridge> open_;         // the oldest first
  std::map<WorldId, std::string> lost_worlds_;  // why; until another bridge leads there
  std::vector<std::shared_ptr<Bridge>> kept_;   // lost ones whose memory MPI may still use
  BridgeId last_ = no_bridge;
};

}  // namespace comex::worlds
