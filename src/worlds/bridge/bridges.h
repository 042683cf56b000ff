// The open bridges of a worker, the processes they lead to, and the groups that keep these connected.
//
// The calls of bridge.h open and close them, one at a time. Every operation that leaves the own world looks
// them up. Part of JoinedWorlds; open bridges close when the runtime does.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "op/control_messages.h"
#include "worlds/bridge/bridge_endpoint.h"
#include "worlds/bridge/freed_groups.h"
#include "worlds/bridge/peers.h"

namespace comex::worlds {

struct Bridge {
  Bridge(std::unique_ptr<BridgeEndpoint> meeting, const op::RemoteOptions& options)
      : point(std::move(meeting)), remote(*point->transport, options), control(*point->transport) {}

  std::unique_ptr<BridgeEndpoint> point;
  op::Remote remote;
  op::ControlMessages control;
  std::unordered_map<Lpid, TransportRank> ranks;  // of all its workers, also of the own world
  std::string lost;                               // why; empty: it is not. Needs the lock of Bridges
  bool is_left = false;                           // a thread takes it down. Needs the same lock
  // It was lost with bodies under way, whose memory MPI may still use.
  bool is_in_use_by_mpi = false;

  transport::MpiTransport& transport() const { return *point->transport; }
};

class Bridges {
 public:
  // Null when the bridge has been taken down. A found bridge does not change while the caller holds the
  // engine lock or a group is on it. Otherwise another thread may take it down; then only its wire may still
  // be read.
  std::shared_ptr<Bridge> find(BridgeId id) const;
  BridgeId add(std::unique_ptr<Bridge> bridge);
  // Several threads may find that nothing leads over it any more. The first one gets true and takes it down.
  bool begin_leaving(BridgeId id);
  std::shared_ptr<Bridge> remove(BridgeId id);
  void keep(std::shared_ptr<Bridge> removed);  // until the library ends
  std::vector<BridgeId> ids() const;

  void lose(BridgeId id, const std::string& reason);
  std::string why_lost(BridgeId id) const;  // empty: it is not lost

  void freed(WorldId world);  // nothing leads there any more, and its number may be used again

  Peers peers;
  GuestArenas arenas;
  FreedGroups freed_groups;

 private:
  mutable std::mutex mutex_;
  std::map<BridgeId, std::shared_ptr<Bridge>> open_;
  std::vector<std::shared_ptr<Bridge>> kept_;
  BridgeId last_ = no_bridge;
};

}  // namespace comex::worlds
