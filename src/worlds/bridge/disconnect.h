// Which processes a bridge still connects, and the end of a bridge with a group that spans all its workers.
//
// It connects the members of groups that were made over it and not disconnected. Every member of such a group
// knows it. So all members of a list find the same answer, whoever else has left the bridge. Used where
// groups are made and freed, when worlds part, and when a meeting fails after its bridge was opened.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/runtime.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

// True if one group over the bridge has all of these processes. Groups of the context `but` do not count.
bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but = 0);

// A freed group still keeps its members connected, though it has no handle any more.
void note_freed(runtime::Runtime& runtime, const groups::Group& group);
// Collective over the group, which is destroyed. COMEX_FAILURE when an operation of this worker was refused
// and nobody has been told, but not when the other side is lost. COMEX_PROC_FAILED when the group is of one
// world and a member has died.
int disconnect(runtime::Runtime& runtime, groups::Group& group, int handle);

// Collective over the bridge's workers; if the other side is lost, it waits for nobody. False when an
// operation of this worker was refused and nobody has been told.
bool part_bridge(runtime::Runtime& runtime, BridgeId id);

}  // namespace comex::worlds
