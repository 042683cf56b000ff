#include "worlds/agreement/group_wire.h"

#include "core/diagnose.h"
#include "runtime/sides.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {

ProgressRankId progress_rank_id(const BridgeMap& wire, TransportRank rank) {
  return {wire.row(rank).world, wire.row(rank).own_rank};
}

GroupWire group_wire_of(runtime::Runtime& runtime, const groups::Group& group) {
  const std::shared_ptr<Bridge> bridge = joined_worlds(runtime).bridges.find(group.bridge());
  COMEX_BUG_IF(bridge == nullptr && group.bridge() != no_bridge);
  GroupWire found;
  found.wire = bridge ? bridge->point->facts.wire.get() : runtime.world().wire.get();
  runtime::for_each_lpid(group.members(), [&](Lpid lpid) {
    const ControlRoute worker = route_to(runtime, group.bridge(), lpid);
    found.control = worker.control;
    found.workers.push_back(worker.rank);
    const TransportRank server = bridge ? bridge->point->servers[static_cast<std::size_t>(worker.rank)]
                                        : runtime.place(static_cast<Worker>(lpid)).server;
    if (server == worker.rank) return;
    found.progress_ranks.emplace(
        bridge ? progress_rank_id(bridge->point->wire, server) : ProgressRankId{runtime.world().id, server},
        server);
  });
  return found;
}

ControlRoute route_to(runtime::Runtime& runtime, BridgeId bridge, Lpid lpid) {
  if (bridge == no_bridge) {
    if (!runtime.is_own(lpid)) return {};
    return {&runtime.control(), runtime.place(static_cast<Worker>(lpid)).rank};
  }
  const std::shared_ptr<Bridge> open = joined_worlds(runtime).bridges.find(bridge);
  if (open == nullptr) return {};
  const auto found = open->ranks.find(lpid);
  return found == open->ranks.end() ? ControlRoute{} : ControlRoute{&open->control, found->second};
}

std::string no_connection(Gpid from, Gpid to) {
  return "no connection leads from process " + text_of(from) + " to process " + text_of(to) +
         ": no group has both of them, or none any more";
}

}  // namespace comex::worlds
