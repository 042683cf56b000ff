#include "worlds/agreement/group_wire.h"

#include "core/diagnose.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

GroupWire wire_in_own_world(runtime::Runtime& runtime, const groups::Group& group) {
  GroupWire wire{runtime.world().wire.get(), &runtime.control(), {}, {}};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const groups::WorkerPlace& place = runtime.place(static_cast<Worker>(group.members().lpid(rank)));
    wire.workers.push_back(place.rank);
    if (place.server != place.rank)
      wire.progress_ranks.emplace(ProgressRankId{runtime.world().id, place.server}, place.server);
  }
  return wire;
}

GroupWire wire_on_bridge(Bridge& bridge, const groups::Group& group) {
  const BridgeEndpoint& point = *bridge.point;
  GroupWire wire{point.facts.wire.get(), &bridge.control, {}, {}};
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const TransportRank worker = bridge.ranks.at(group.members().lpid(rank));
    wire.workers.push_back(worker);
    const TransportRank server = point.servers[static_cast<std::size_t>(worker)];
    if (!point.wire.is_worker(server))
      wire.progress_ranks.emplace(progress_rank_id(point.wire, server), server);
  }
  return wire;
}

}  // namespace

ProgressRankId progress_rank_id(const BridgeMap& wire, TransportRank rank) {
  return {wire.row(rank).world, wire.row(rank).own_rank};
}

GroupWire group_wire_of(runtime::Runtime& runtime, const groups::Group& group) {
  if (group.bridge() == no_bridge) return wire_in_own_world(runtime, group);
  const std::shared_ptr<Bridge> bridge = joined_worlds(runtime).bridges.find(group.bridge());
  COMEX_BUG_IF(bridge == nullptr);
  return wire_on_bridge(*bridge, group);
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
