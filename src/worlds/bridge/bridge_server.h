// The server that a rank runs on a bridge's wire: for workers of its own world, and for those of others on
// its host who have no progress rank there.
#pragma once

#include <memory>

#include "worlds/bridge/meeting_point.h"

namespace comex::worlds {

std::unique_ptr<pr::Server> make_bridge_server(runtime::World& world, const runtime::Reporter& reporter,
                                               const MeetingPoint& point);

}  // namespace comex::worlds
