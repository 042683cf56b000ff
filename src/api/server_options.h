// How a world's server is set up, and the line it prints for a request it refuses.
//
// One place for progress ranks and for workers that serve themselves.
#pragma once

#include <memory>

#include "api/report.h"
#include "api/world.h"
#include "pr/server.h"

namespace comex::api {

std::unique_ptr<pr::Server> make_server(World& world, const Reporter& reporter);

}  // namespace comex::api
