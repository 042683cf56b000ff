// The bridges of a worker that are open, and the processes they lead to.
//
// Opened and closed by bridge.h's calls, one at a time; looked up by every operation that leaves the own
// world. Owned by Runtime, which closes what is open when it ends.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/bridge/guest_arenas.h"
#include "api/bridge/meeting_point.h"
#include "api/bridge/peers.h"
#include "op/tokens.h"

namespace comex::api {

struct Bridge {
  Bridge(std::unique_ptr<MeetingPoint> meeting, const op::RemoteOptions& options)
      : point(std::move(meeting)), remote(*point->transport, options), tokens(*point->transport) {}

  std::unique_ptr<MeetingPoint> point;
  op::Remote remote;
  op::Tokens tokens;
  std::unordered_map<Lpid, TransportRank> ranks;  // of all its workers, the own world's too
  std::string lost;                               // why; empty: it is not. Under the lock of Bridges
  bool is_left = false;                           // it stays for others, whom this process serves

  transport::MpiTransport& transport() const { return *point->transport; }
};

class Bridges {
 public:
  Bridge* find(BridgeId id) const;
  BridgeId add(std::unique_ptr<Bridge> bridge);
  std::unique_ptr<Bridge> remove(BridgeId id);
  std::vector<BridgeId> ids() const;

  void lose(BridgeId id, const std::string& reason);
  std::string why_lost(BridgeId id) const;  // empty: it is not

  Peers peers;
  GuestArenas arenas;

 private:
  mutable std::mutex mutex_;
  std::map<BridgeId, std::unique_ptr<Bridge>> open_;
  BridgeId last_ = no_bridge;
};

}  // namespace comex::api
