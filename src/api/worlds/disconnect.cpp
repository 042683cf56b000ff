// Worlds part: collective over both sides, after all traffic.
//
// The bridge closes with the last group that uses it, if this one has all of its workers; else it stays for
// the others. All progress ranks on it are locked first, by one worker and in the order of all locks. When a
// world on it is lost, nobody is waited for.
#include "api/worlds/disconnect.h"

#include <comex/worlds.h>

#include <algorithm>

#include "api/call.h"
#include "api/worlds/arguments.h"
#include "api/worlds/side.h"
#include "api/worlds/summons.h"

namespace comex::api {
namespace {

bool is_last_on_its_bridge(Runtime& runtime, int handle, const groups::Group& group) {
  for (const int each : runtime.groups.handles()) {
    if (each != handle && runtime.groups.find(each)->bridge() == group.bridge()) return false;
  }
  const Bridge* const bridge = runtime.bridges.find(group.bridge());
  const std::size_t here = group.size() + (group.is_inter() ? group.targets().size() : 0);
  return bridge != nullptr && bridge->ranks.size() == here;
}

// Those on the bridge, in the order in which they are locked.
std::vector<TransportRank> progress_ranks(const Wire& wire) {
  std::vector<TransportRank> ranks;
  for (TransportRank rank = 0; rank < wire.size(); ++rank) {
    if (!wire.is_worker(rank)) ranks.push_back(rank);
  }
  const auto helper = [&wire](TransportRank rank) {
    return Helper{wire.row(rank).world, wire.row(rank).own_rank};
  };
  std::ranges::sort(ranks, {}, helper);
  return ranks;
}

int disconnect(Runtime& runtime, groups::Group& group, int handle) {
  op::GroupCollective& all = *runtime.extras(handle).collective;
  const BridgeId bridge = group.bridge();
  bool succeeded = runtime.wait_members(group);
  runtime.fence_members(group);
  succeeded = !runtime.take_failures(group) && succeeded;
  all.barrier();
  bool was_lost = false;
  if (bridge != no_bridge) {
    const bool is_last = is_last_on_its_bridge(runtime, handle, group);
    const bool closes = all.all_agree(is_last);
    was_lost = !runtime.why_lost(bridge).empty();
    if (was_lost ? is_last : closes) succeeded = leave_bridge(runtime, all, bridge) && succeeded;
  }
  group.disconnect();
  runtime.remove_group(handle);
  return succeeded || was_lost ? COMEX_SUCCESS : COMEX_FAILURE;
}

}  // namespace

bool leave_bridge(Runtime& runtime, op::GroupCollective& all, BridgeId id) {
  Bridge& bridge = *runtime.bridges.find(id);
  const Wire& wire = bridge.point->wire;
  MeetingLock lock(runtime, bridge.tokens);
  if (wire.workers().front() == bridge.point->me) {
    for (const TransportRank rank : progress_ranks(wire)) static_cast<void>(lock.take(rank));
  }
  lock.end_with_wire();
  all.barrier();
  return close_bridge(runtime, id);
}

}  // namespace comex::api

using namespace comex::api;

int comex_world_disconnect(comex_group_t* peer) {
  const char* name = "world_disconnect";
  Runtime* runtime = enter(name);
  if (runtime == nullptr || !has_place(*runtime, name, peer)) return COMEX_FAILURE;
  comex::groups::Group* group = find_group(*runtime, name, *peer);
  if (group == nullptr) return COMEX_FAILURE;
  if (*peer == COMEX_GROUP_WORLD || *peer == COMEX_GROUP_SELF) {
    return runtime->reporter.fail({.operation = name},
                                  "the group is one of the own world; it lives until finalize");
  }
  const int result = disconnect(*runtime, *group, *peer);
  *peer = COMEX_GROUP_NULL;
  return result == COMEX_SUCCESS ? result : failed_on_the_way(*runtime);
}
