// The bridges of a worker that are open, the processes they lead to, and who keeps them there.
//
// Opened and closed by bridge.h's calls, one at a time; looked up by every operation that leaves the own
// world. Part of JoinedWorlds; what is open closes when the runtime does.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "op/control_messages.h"
#include "worlds/bridge/freed_groups.h"
#include "worlds/bridge/guest_arenas.h"
#include "worlds/bridge/meeting_point.h"
#include "worlds/bridge/peers.h"

namespace comex::worlds {

struct Bridge {
  Bridge(std::unique_ptr<MeetingPoint> meeting, const op::RemoteOptions& options)
      : point(std::move(meeting)), remote(*point->transport, options), control(*point->transport) {}

  std::unique_ptr<MeetingPoint> point;
  op::Remote remote;
  op::ControlMessages control;
  std::unordered_map<Lpid, TransportRank> ranks;  // of all its workers, the own world's too
  std::string lost;                               // why; empty: it is not. Under the lock of Bridges
  bool is_left = false;                           // somebody takes it down. Under the same lock

  transport::MpiTransport& transport() const { return *point->transport; }
};

class Bridges {
 public:
  // Null when it has been taken down. What is found stays as it is under the engine lock, and as long as a
  // group is on it; else another thread may take it down, after which only its wire still tells who is on it.
  std::shared_ptr<Bridge> find(BridgeId id) const;
  BridgeId add(std::unique_ptr<Bridge> bridge);
  // Of those who find that nothing leads over it any more, the first one takes it down.
  bool begin_leaving(BridgeId id);
  std::shared_ptr<Bridge> remove(BridgeId id);
  std::vector<BridgeId> ids() const;

  void lose(BridgeId id, const std::string& reason);
  std::string why_lost(BridgeId id) const;  // empty: it is not

  // Of groups over a bridge that were freed, not disconnected (FreedGroups).
  void note_freed(BridgeId id, FreedGroups::Members members);
  void note_disconnected(BridgeId id, const FreedGroups::Members& members);
  bool has_freed(BridgeId id) const;
  bool has_freed(BridgeId id, const FreedGroups::Members& members) const;

  void freed(WorldId world);  // nothing leads there any more, and its number may be given again

  Peers peers;
  GuestArenas arenas;

 private:
  mutable std::mutex mutex_;
  std::map<BridgeId, std::shared_ptr<Bridge>> open_;
  FreedGroups freed_groups_;
  BridgeId last_ = no_bridge;
};

}  // namespace comex::worlds
