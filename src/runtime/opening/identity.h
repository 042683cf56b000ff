// Gives a world its number, launch id and nonce, and gives its processes their ranks in their programs and on
// their nodes.
//
// This happens while the world opens: first the names, which the arena needs, then the ranks, which need the
// places. Called by open_world.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "runtime/opening/world.h"
#include "transport/collective.h"

namespace comex::runtime {

// Collective over the wire. `opening`: the number of worlds that this process has opened before. It fails on
// rank 0 only, when the launch has no number left.
Status name_world(transport::Collective& all, std::uint32_t opening, World& world);

// The caller's node rank. Collective over the ranks of its machine.
std::int32_t number_on_node(transport::Collective& machine, const World& world);

}  // namespace comex::runtime
