// The common part of workers and progress ranks of a bridge: the wire and its rows, the arenas attached for
// it, the transport and, on a rank that serves, a server.
//
// It is made collectively. Each rank takes its own down alone, except for the wire. Used by bridge.cpp and
// bridge_services.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "op/plan.h"
#include "pr/server.h"
#include "runtime/opening/world.h"
#include "transport/mpi_transport.h"
#include "worlds/bridge/bridge.h"
#include "worlds/bridge/bridge_map.h"
#include "worlds/bridge/guest_arenas.h"
#include "worlds/bridge/service_end.h"

namespace comex::worlds {

struct BridgeEndpoint {
  BridgeEndpoint(BridgeFacts its_facts, BridgeMap its_wire)
      : facts(std::move(its_facts)), wire(std::move(its_wire)) {}

  BridgeFacts facts;
  BridgeMap wire;
  TransportRank me = no_rank;
  std::vector<TransportRank> servers;               // by rank: the server of that worker
  std::vector<TransportRank> guests;                // BridgeMap::guest_arenas of this rank
  std::vector<std::shared_ptr<GuestArena>> arenas;  // for each of guests; empty if it could not be attached
  std::unique_ptr<transport::MpiTransport> transport;
  std::unique_ptr<pr::Server> server;            // destroyed before the transport
  ServiceState service = ServiceState::goes_on;  // of a progress rank
  std::size_t departed = 0;                      // the number of leavers when `service` was decided
  LifeWatch* lives = nullptr;                    // watches over these links
  std::vector<LifeWatch::Id> watched;

  // The arena of a rank of another world, if this process has mapped it.
  GuestArena* guest_arena(TransportRank of) const;
  // Progress ranks, and workers that serve themselves; each once.
  std::vector<TransportRank> all_servers() const;
  // The servers to be told when this worker leaves and others stay: the progress ranks of its world, and its
  // own server.
  std::vector<TransportRank> own_servers() const;
  op::Sizes sizes(const runtime::World& own) const;  // of messages and bodies on the wire
  // Watches over the lives of the others by the links of its facts. `on_end` is told of what LifeWatch is.
  using OnEnd = std::function<void(WorldId, LinkEnd)>;
  void watch(LifeWatch& by, const OnEnd& on_end);
  // A loss is not noticed any more. All have met to part; or this process leaves alone, and the others still
  // learn by its links of the end of its world.
  void unwatch(bool all_part);
  void release_wire();
  void abandon_wire();  // without the others
};

// Collective up to the point where everybody may send; start() begins that.
std::unique_ptr<BridgeEndpoint> open_endpoint(runtime::World& world, const runtime::Reporter& reporter,
                                              GuestArenas& arenas, BridgeFacts facts);
void start(const BridgeEndpoint& point);

}  // namespace comex::worlds
