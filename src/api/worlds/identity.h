// Gives a world its number, its launch and its nonce, and its processes their ranks on their nodes.
//
// As one world opens: first the names, which the arena needs, then the ranks, which need the places. Called
// by open_world.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/world.h"
#include "transport/collective.h"

namespace comex::api {

// Collective over the wire.
void name_world(transport::Collective& all, World& world);
// By rank. Ends the use of world.facts.
std::vector<std::int32_t> number_on_nodes(World& world, std::span<const pr::RankPlace> places);

}  // namespace comex::api
