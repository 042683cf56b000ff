// The end of a bridge with a group that spans all its workers.
//
// Used when worlds part, and when a meeting fails after its bridge was opened.
#pragma once

#include "groups/group.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

// Collective over the group, which is destroyed. COMEX_FAILURE when an operation of this worker was refused
// and nobody has been told, but not when the other side is lost.
int disconnect(runtime::Runtime& runtime, groups::Group& group, int handle);

// Collective over the bridge's workers; if the other side is lost, it waits for nobody. False when an
// operation of this worker was refused and nobody has been told.
bool part_bridge(runtime::Runtime& runtime, BridgeId id);

}  // namespace comex::worlds
