// How each process outside the own world is reached: by lpid, over its oldest bridge that is not lost.
//
// An lpid may be used again when its world is forgotten: the registry reports this, and all ways to that
// world are removed, even if a bridge is open. Bridges also write here when they open and close; every
// operation on such a process reads, under a short lock. A BridgePeer points to parts of its bridge, which
// outlives the operations. Connections cost nothing here: a bridge sets up wire and memory for all its
// processes once, when worlds meet, and gives them up when it closes. Owned by Bridges.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "groups/process_group.h"
#include "groups/world_registry.h"
#include "op/direct.h"
#include "op/remote/remote.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

struct BridgePeer {
  BridgeId bridge = no_bridge;
  Gpid gpid;
  groups::WorkerPlace place;      // on the bridge's wire; base: where its arena is mapped in this process
  std::uint64_t owners_base = 0;  // where the owner has mapped its arena
  op::Remote* remote = nullptr;
  const op::Direct* direct = nullptr;  // null: it is reached by messages only
  bool is_lost = false;                // true if the bridge is lost
};

class Peers {
 public:
  bool find(Lpid lpid, BridgePeer& peer) const;
  void add(Lpid lpid, const BridgePeer& peer);
  void remove(BridgeId bridge);
  void remove(BridgeId bridge, Lpid lpid);  // the other processes on the bridge are still reached over it
  void lose(BridgeId bridge);               // another bridge takes over, if there is one
  // Records a world lost with a bridge. The reason is kept until another bridge leads there; empty: not lost.
  void lose_world(WorldId world, const std::string& reason);
  std::string why_lost(WorldId world) const;
  // True at the first call for a lost world, and again after another bridge has led there.
  bool is_news(WorldId world);
  void freed(WorldId world);

 private:
  template <class Goes>
  void remove_if(Goes goes);

  mutable std::mutex mutex_;
  std::unordered_map<Lpid, std::vector<BridgePeer>> by_lpid_;  // the oldest bridge first, lost ones last
  struct LostWorld {
    std::string reason;
    bool is_told = false;
  };
  std::map<WorldId, LostWorld> lost_worlds_;
};

}  // namespace comex::worlds
