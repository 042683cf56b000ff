// Gives a world its number, its launch and its nonce, and its processes their ranks on their nodes.
//
// As one world opens: first the names, which the arena needs, then the ranks, which need the places. Called
// by open_world.
#pragma once

#include <cstdint>

#include "core/status.h"
#include "runtime/opening/world.h"
#include "transport/collective.h"

namespace comex::runtime {

// Collective over the wire. `opening`: so many worlds this process has opened before. Fails on rank 0 alone,
// when the launch has no number left.
Status name_world(transport::Collective& all, std::uint32_t opening, World& world);

// The caller's. Collective over the ranks of its machine.
std::int32_t number_on_node(transport::Collective& machine, const World& world);

}  // namespace comex::runtime
