// The end of a bridge that a group of all its workers spans.
//
// Called when worlds part, and when a meeting comes to nothing after its bridge was opened.
#pragma once

#include "api/bridge/bridge.h"

namespace comex::api {

// Collective over the bridge's workers; but where the other side is lost it waits for nobody. False
// when something of this worker's was refused and nobody has been told.
bool part_bridge(Runtime& runtime, BridgeId id);

}  // namespace comex::api
