#include "worlds/bridge/bridge_membership.h"
#include "worlds/joined_worlds.h"

#include <algorithm>

#include "runtime/sides.h"

namespace comex::worlds {
namespace {

FreedGroups::Members named(const runtime::Runtime& runtime, std::span<const Lpid> lpids) {
  FreedGroups::Members members;
  for (const Lpid lpid : lpids) members.push_back(runtime.registry().gpid_of(lpid).value());
  std::ranges::sort(members);
  return members;
}

std::vector<Lpid> everybody_in(const groups::Group& group) {
  std::vector<Lpid> lpids;
  runtime::for_each_process(group, [&](Lpid lpid) { lpids.push_back(lpid); });
  return lpids;
}

// The handles of endpoints of one group count as one group.
bool has_group(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids, std::uint64_t but) {
  return runtime.groups().any_of([&](int, const groups::Group& group) {
    return group.bridge() == bridge && group.context() != but &&
           std::ranges::all_of(lpids, [&](Lpid lpid) { return runtime::is_in(group, lpid); });
  });
}

}  // namespace

bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but) {
  return has_group(runtime, bridge, lpids, but) ||
         joined_worlds(runtime).bridges.freed_groups.has(bridge, named(runtime, lpids));
}

void note_freed(runtime::Runtime& runtime, const groups::Group& group) {
  if (group.bridge() == no_bridge) return;
  const std::vector<Lpid> lpids = everybody_in(group);
  if (std::ranges::all_of(lpids, [&](Lpid lpid) { return runtime.is_own(lpid); })) return;
  if (!has_group(runtime, group.bridge(), lpids, group.context()))
    joined_worlds(runtime).bridges.freed_groups.add(group.bridge(), named(runtime, lpids));
}

bool let_go(runtime::Runtime& runtime, const groups::Group& group) {
  const BridgeId bridge = group.bridge();
  const std::vector<Lpid> lpids = everybody_in(group);
  joined_worlds(runtime).bridges.freed_groups.disconnected(bridge, named(runtime, lpids));
  for (const Lpid lpid : lpids) {
    const bool is_gone =
        !runtime.is_own(lpid) && !are_together(runtime, bridge, std::span(&lpid, 1), group.context());
    if (is_gone) joined_worlds(runtime).bridges.peers.remove(bridge, lpid);
  }
  const bool has_freed =
      runtime.why_lost(bridge).empty() && joined_worlds(runtime).bridges.freed_groups.has_any(bridge);
  return !has_freed && !has_group(runtime, bridge, {}, group.context());
}

}  // namespace comex::worlds
