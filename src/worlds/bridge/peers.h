// How each process outside the own world is reached: by lpid, over the bridge that was there first, of those
// that are not lost.
//
// An lpid is given again when its world is gone: the book tells of that, and what led to that world goes,
// even if a bridge is still open. Written when bridges open and close, too; read by every operation on such a
// process, under a short lock. What a Peer points to belongs to its bridge, which outlives the operations on
// it. Connections that come into use and fall out of it cost nothing here: a bridge sets up wire and memory
// for all of its processes when worlds meet, once, and lets go of them when it closes. Owned by Bridges.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "groups/process_group.h"
#include "groups/world_book.h"
#include "op/direct.h"
#include "op/remote/remote.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

struct Peer {
  BridgeId bridge = no_bridge;
  Gpid gpid;
  groups::WorkerPlace place;      // in the bridge's wire; base: where its arena stands for this process
  std::uint64_t owners_base = 0;  // where the owner sees its arena
  op::Remote* remote = nullptr;
  const op::Direct* direct = nullptr;  // null: by messages only
  bool is_lost = false;                // the bridge is
};

class Peers {
 public:
  bool find(Lpid lpid, Peer& peer) const;
  bool leads(BridgeId bridge, Lpid lpid) const;
  void add(Lpid lpid, const Peer& peer);
  void remove(BridgeId bridge);
  void remove(BridgeId bridge, Lpid lpid);  // the others on it are still reached over it
  void lose(BridgeId bridge);               // others are taken where there are some
  // A world that is lost with a bridge. Why it is, as long as no other bridge leads there; empty: it is not.
  void lose_world(WorldId world, const std::string& reason);
  std::string why_lost(WorldId world) const;
  bool lead_to(WorldId world) const;  // over a bridge that is not lost

  void freed(WorldId world);

 private:
  template <class Goes>
  void remove_if(Goes goes);

  mutable std::mutex mutex_;
  std::unordered_map<Lpid, std::vector<Peer>> by_lpid_;  // the oldest bridge first, lost ones last
  std::map<WorldId, std::string> lost_worlds_;
};

}  // namespace comex::worlds
