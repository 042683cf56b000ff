// Makes the server of a rank on a bridge's wire. It serves workers of its own world, and workers of other
// worlds on its host that have no progress rank there.
#pragma once

#include <memory>

#include "worlds/bridge/bridge_endpoint.h"

namespace comex::worlds {

std::unique_ptr<pr::Server> make_bridge_server(runtime::World& world, const runtime::Reporter& reporter,
                                               const BridgeEndpoint& point);

}  // namespace comex::worlds
