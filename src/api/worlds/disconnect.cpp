// Worlds part: collective over both sides, after all traffic.
//
// The bridge closes with the last group that uses it, if this one has all of its workers; else it stays for
// the others. The locks of all worlds on it are taken in the order of their numbers, one worker for each.
#include <comex/worlds.h>

#include <algorithm>
#include <optional>
#include <set>

#include "api/call.h"
#include "api/worlds/arguments.h"
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

// The lowest worker on the bridge of each world that is on it, by world.
std::map<WorldId, TransportRank> lockers(const Bridge& bridge) {
  std::map<WorldId, TransportRank> lowest;
  for (const TransportRank rank : bridge.point->wire.workers()) {
    lowest.try_emplace(bridge.point->wire.row(rank).world, rank);
  }
  return lowest;
}

bool close(Runtime& runtime, op::GroupCollective& all, BridgeId id) {
  const Bridge& bridge = *runtime.bridges.find(id);
  std::optional<MeetingLock> lock;
  for (const auto& [world, locker] : lockers(bridge)) {
    if (locker == bridge.point->me) lock.emplace(runtime);
    all.barrier();
  }
  return close_bridge(runtime, id);
}

int disconnect(Runtime& runtime, groups::Group& group, int handle) {
  op::GroupCollective& all = *runtime.extras(handle).collective;
  bool succeeded = runtime.wait_members(group);
  runtime.fence_members(group);
  succeeded = !runtime.take_failures(group) && succeeded;
  all.barrier();
  const BridgeId bridge = group.bridge();
  const bool is_lost = bridge != no_bridge && !runtime.bridges.why_lost(bridge).empty();
  if (bridge != no_bridge) {
    const bool is_last = is_last_on_its_bridge(runtime, handle, group);
    if (is_lost) {
      if (is_last) static_cast<void>(close_bridge(runtime, bridge));
    } else if (all.all_agree(is_last)) {
      succeeded = close(runtime, all, bridge) && succeeded;
    }
  }
  group.disconnect();
  runtime.remove_group(handle);
  return succeeded || is_lost ? COMEX_SUCCESS : COMEX_FAILURE;
}

}  // namespace
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
  int parent = *peer;
  runtime->meetings.parent.compare_exchange_strong(parent, no_group);
  const int result = disconnect(*runtime, *group, *peer);
  *peer = COMEX_GROUP_NULL;
  return result == COMEX_SUCCESS ? result : failed_on_the_way(*runtime);
}
