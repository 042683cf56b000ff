// The end of a bridge that a group of all its workers spans.
//
// Called when worlds part, and when a meeting comes to nothing after its bridge was opened.
#pragma once

#include "groups/group.h"
#include "worlds/bridge/bridge.h"

namespace comex::worlds {

// Collective over the group, which goes. COMEX_FAILURE when something of this worker's was refused and nobody
// has been told; not where the other side is lost.
int disconnect(runtime::Runtime& runtime, groups::Group& group, int handle);

// Collective over the bridge's workers; but where the other side is lost it waits for nobody. False
// when something of this worker's was refused and nobody has been told.
bool part_bridge(runtime::Runtime& runtime, BridgeId id);

}  // namespace comex::worlds
