#include "worlds/connect/join.h"

#include <memory>

#include "runtime/runtime.h"
#include "worlds/agreement/deadline.h"
#include "worlds/bridge/bridge_services.h"
#include "worlds/connect/peer_liveness.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

constexpr const char* operation = "meeting";

struct JoinedBridge {
  BridgeFacts facts;
  LinkedWorlds linked;
  std::shared_ptr<WatchedLinks> watched;
};

// Held until the links are watched, because no death would be noticed before.
TimeLimit limit_of_meeting(const runtime::Reporter& reporter, const Roster& roster) {
  return {reporter, operation, "the other side has not come together with this one in MPI", roster.limit_s};
}

Result<JoinedBridge> join(const runtime::Reporter& reporter, LifeWatch& watch, MPI_Comm wire,
                          const runtime::World& own, const Roster& roster) {
  Result<JoinedComms> joined = make_intercommunicator(wire, roster);
  if (!joined) return joined.take_failure();
  JoinedBridge made;
  made.linked = link_worlds(joined->all, own.id, own.failures.dead_workers(), reporter);
  made.watched = std::make_shared<WatchedLinks>(watch);
  made.facts.wire = runtime::Communicator(joined->all);
  made.facts.release = [intercommunicator = std::make_shared<Intercommunicator>(joined->inter), &reporter,
                        seconds = roster.limit_s](runtime::Communicator all) {
    const TimeLimit limit_of_parting(reporter, "world_disconnect", "the other side has not let go in MPI",
                                     seconds);
    intercommunicator->part(std::move(all));
  };
  made.facts.unwatch = [watched = made.watched](bool all_part) { watched->end(all_part); };
  return made;
}

const char* how_it_is_lost(LinkEnd how) {
  switch (how) {
    case LinkEnd::ended:
      return "has finalized without parting from this one";
    case LinkEnd::broken:
      return "has lost a process and goes on alone";
    case LinkEnd::broken_here:
      return "is parted from this one, of which a process has died";
    default:
      return "has died";
  }
}

}  // namespace

Result<BridgeId> join_bridge(runtime::Runtime& runtime, MPI_Comm wire, const Roster& roster,
                             std::function<Lpid(Gpid)> lpid_of) {
  const TimeLimit limit = limit_of_meeting(runtime.reporter(), roster);
  Result<JoinedBridge> joined =
      join(runtime.reporter(), joined_worlds(runtime).meetings.watch, wire, runtime.world(), roster);
  if (!joined) return joined.take_failure();
  joined->facts.lpid_of = std::move(lpid_of);
  Result<BridgeId> bridge = open_bridge(runtime, std::move(joined->facts));
  if (!bridge) return bridge;
  joined->watched->watch(std::move(joined->linked),
                         [&losses = joined_worlds(runtime).meetings.losses, id = bridge.value()](
                             WorldId world, LinkEnd how) { losses.note(id, world, how_it_is_lost(how)); });
  return bridge;
}

void join_bridge(BridgeServices& services, MPI_Comm wire, const Roster& roster) {
  ProgressRankCalls& calls = services.progress_calls();
  const TimeLimit limit = limit_of_meeting(services.reporter(), roster);
  Result<JoinedBridge> joined = join(services.reporter(), calls.watch(), wire, services.world(), roster);
  if (!joined) return;  // the worker that leads reports why
  const MPI_Comm bridge_wire = joined->facts.wire.get();
  if (!open_bridge(services, std::move(joined->facts))) return;
  joined->watched->watch(std::move(joined->linked),
                         [&calls, bridge_wire](WorldId, LinkEnd) { calls.note_lost(bridge_wire); });
}

}  // namespace comex::worlds
