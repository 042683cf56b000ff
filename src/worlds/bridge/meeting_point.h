// What workers and progress ranks of a bridge have in common: the wire, who is on it, the arenas attached for
// it, the transport and, for who serves somebody, a server.
//
// Made collectively; torn down by each rank for itself, but for the wire. Used by bridge.cpp and
// services.cpp.
#pragma once

#include <memory>
#include <vector>

#include "op/plan.h"
#include "pr/server.h"
#include "runtime/opening/world.h"
#include "transport/mpi_transport.h"
#include "worlds/bridge/bridge.h"
#include "worlds/bridge/guest_arenas.h"
#include "worlds/bridge/service_end.h"
#include "worlds/bridge/wire.h"

namespace comex::worlds {

struct MeetingPoint {
  MeetingPoint(BridgeFacts its_facts, Wire its_wire)
      : facts(std::move(its_facts)), wire(std::move(its_wire)) {}

  BridgeFacts facts;
  Wire wire;
  TransportRank me = no_rank;
  std::vector<TransportRank> servers;               // by rank: who serves that worker
  std::vector<TransportRank> guests;                // Wire::guest_arenas of this rank
  std::vector<std::shared_ptr<GuestArena>> arenas;  // as many; empty ones could not be attached
  std::unique_ptr<transport::MpiTransport> transport;
  std::unique_ptr<pr::Server> server;  // destroyed before the transport
  Service service = Service::goes_on;  // of a progress rank, and how many had left when that was found out
  std::size_t departed = 0;

  // The arena of a rank of another world, if this process has it in its address space.
  GuestArena* guest_arena(TransportRank of) const;
  // Progress ranks, and workers that serve themselves; each once.
  std::vector<TransportRank> all_servers() const;
  // Those whom it concerns that this worker leaves while others stay: the progress ranks of its world, and
  // who serves it.
  std::vector<TransportRank> own_servers() const;
  op::Sizes sizes(const runtime::World& own) const;  // of what travels on the wire
  void release_wire();
  void abandon_wire();  // without the others
};

// Collective up to where everybody may send, which begins with start().
std::unique_ptr<MeetingPoint> meet(runtime::World& world, const runtime::Reporter& reporter,
                                   GuestArenas& arenas, BridgeFacts facts);
void start(const MeetingPoint& point);

}  // namespace comex::worlds
