// The server that a rank runs on a bridge's wire: for workers of its own world, and for those of others on
// its host who have no progress rank there.
#pragma once

#include <memory>

#include "api/bridge/meeting_point.h"

namespace comex::api {

std::unique_ptr<pr::Server> make_bridge_server(World& world, const Reporter& reporter,
                                               const MeetingPoint& point);

}  // namespace comex::api
