// Separates worlds: collective over both sides, after all traffic.
//
// The bridge closes with the last group that uses it, if that group has all of its workers and is the last
// one for each. Otherwise the workers for which it is the last group leave the bridge to the others. To close
// it, one worker first locks all progress ranks on it, in the order of all locks. If a world on it is lost,
// nobody waits.
#include <comex/worlds.h>

#include <algorithm>

#include "groups/participants.h"
#include "runtime/call.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/progress_rank_calls.h"
#include "worlds/joined_worlds.h"

namespace comex::worlds {
namespace {

FreedGroups::Members named(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  FreedGroups::Members members;
  for (const Lpid lpid : lpids) members.insert(runtime.registry().gpid_of(lpid).value());
  return members;
}

std::vector<Lpid> everybody_in(const groups::Group& group) {
  std::vector<Lpid> lpids;
  groups::for_each_process(group, [&](Lpid lpid) { lpids.push_back(lpid); });
  return lpids;
}

// The handles of endpoints of one group count as one group.
bool has_group(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids, std::uint64_t but) {
  return runtime.groups().any_of([&](int, const groups::Group& group) {
    return group.bridge() == bridge && group.context() != but &&
           std::ranges::all_of(lpids, [&](Lpid lpid) { return groups::is_in(group, lpid); });
  });
}

// Removes the route to processes with which no other group is shared. True if no group is left, so that the
// caller may leave the bridge.
bool let_go(runtime::Runtime& runtime, const groups::Group& group) {
  const BridgeId bridge = group.bridge();
  Bridges& bridges = joined_worlds(runtime).bridges;
  const std::vector<Lpid> lpids = everybody_in(group);
  const FreedGroups::Members members = named(runtime, lpids);
  bridges.with_freed_groups(bridge, [&](FreedGroups& freed) { freed.disconnected(members); });
  for (const Lpid lpid : lpids) {
    const bool is_gone =
        !runtime.is_own(lpid) && !are_together(runtime, bridge, std::span(&lpid, 1), group.context());
    if (is_gone) bridges.forget_peer(bridge, lpid);
  }
  const bool has_freed =
      runtime.why_lost(bridge).empty() &&
      bridges.with_freed_groups(bridge, [](const FreedGroups& freed) { return freed.has_any(); });
  return !has_freed && !has_group(runtime, bridge, {}, group.context());
}

// Of several endpoints of one process, the lowest handles the bridge.
bool is_lowest_endpoint(const runtime::Runtime& runtime, const groups::Group& group) {
  return group.members().rank_of(static_cast<Lpid>(runtime.me())) == group.my_rank();
}

void await_other_endpoints(runtime::Runtime& runtime, const groups::Group& group) {
  const auto is_other = [&](int, const groups::Group& other) {
    return &other != &group && other.bridge() == group.bridge();
  };
  runtime.engine().wait([&] { return !runtime.groups().any_of(is_other); }, {"disconnect"});
}

ProgressRanks progress_ranks(const BridgeMap& wire) {
  ProgressRanks ranks;
  for (TransportRank rank = 0; rank < wire.size(); ++rank) {
    if (!wire.is_worker(rank)) ranks.emplace(wire.progress_rank(rank), rank);
  }
  return ranks;
}

// True if its world ended with another group and nothing leads over it any more.
bool is_unreachable(runtime::Runtime& runtime, BridgeId id) {
  const std::shared_ptr<const Bridge> bridge = joined_worlds(runtime).bridges.find(id);
  if (bridge == nullptr || has_group(runtime, id, {}, 0)) return false;
  const BridgeMap& wire = bridge->point->wire;
  return std::ranges::none_of(wire.workers(), [&](TransportRank rank) {
    const WorldId world = wire.row(rank).world;
    return world != runtime.world().id && static_cast<bool>(runtime.registry().world(world));
  });
}

bool leave_unreachable(runtime::Runtime& runtime) {
  Bridges& bridges = joined_worlds(runtime).bridges;
  const std::lock_guard lock(bridges.leaving);
  bool succeeded = true;
  for (const BridgeId id : bridges.ids()) {
    if (is_unreachable(runtime, id))
      succeeded = end_bridge(runtime, id, protocol::Leaving::alone) && succeeded;
  }
  return succeeded;
}

}  // namespace

bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but) {
  const auto is_in_one = [members = named(runtime, lpids)](const FreedGroups& freed) {
    return freed.has(members);
  };
  return has_group(runtime, bridge, lpids, but) ||
         joined_worlds(runtime).bridges.with_freed_groups(bridge, is_in_one);
}

void note_freed(runtime::Runtime& runtime, const groups::Group& group) {
  if (group.bridge() == no_bridge) return;
  const std::vector<Lpid> lpids = everybody_in(group);
  joined_worlds(runtime).bridges.with_freed_groups(
      group.bridge(), [members = named(runtime, lpids)](FreedGroups& freed) { freed.add(members); });
}

int disconnect(runtime::Runtime& runtime, groups::Group& group, int handle) {
  op::GroupCollective& all = *runtime.extras(handle).collective;
  const BridgeId bridge = group.bridge();
  bool succeeded = runtime.wait_members(group);
  runtime.fence_members(group);
  succeeded = !runtime.take_failures(group) && succeeded;
  all.barrier();
  const int dead = bridge == no_bridge ? runtime::check_all_live(runtime, "world_disconnect", group, handle)
                                       : COMEX_SUCCESS;
  bool was_lost = false;
  if (bridge != no_bridge) {
    const bool is_last = let_go(runtime, group);
    const std::size_t workers = joined_worlds(runtime).bridges.find(bridge)->ranks.size();
    const bool closes = all.all_agree(is_last && named(runtime, everybody_in(group)).size() == workers);
    was_lost = !runtime.why_lost(bridge).empty();
    if (is_last && is_lowest_endpoint(runtime, group)) {
      await_other_endpoints(runtime, group);
      const bool parts = closes && !was_lost;
      succeeded =
          (parts ? part_bridge(runtime, bridge) : end_bridge(runtime, bridge, protocol::Leaving::alone)) &&
          succeeded;
    }
  }
  group.disconnect();
  runtime.remove_group(handle);
  succeeded = leave_unreachable(runtime) && succeeded;
  if (dead != COMEX_SUCCESS) return dead;
  return succeeded || was_lost ? COMEX_SUCCESS : COMEX_FAILURE;
}

// No worker parts before all have met in end_bridge. So the locks are taken by then.
bool part_bridge(runtime::Runtime& runtime, BridgeId id) {
  Bridge& bridge = *joined_worlds(runtime).bridges.find(id);  // nobody else closes it
  const BridgeMap& wire = bridge.point->wire;
  MeetingLock lock(runtime, bridge.control, [&bridge] { return bridge.control.is_lost(); });
  if (wire.workers().front() == bridge.point->me) {
    const Deadline never(Deadline::never);
    for (const auto& [which, rank] : progress_ranks(wire)) static_cast<void>(lock.take(rank, never));
  }
  lock.end_with_wire();
  return end_bridge(runtime, id, protocol::Leaving::together);
}

}  // namespace comex::worlds
