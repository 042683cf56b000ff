// Gives a world its number, its launch and its nonce, and its processes their ranks on their nodes.
//
// As one world opens: first the names, which the arena needs, then the ranks, which need the places. Called
// by open_world.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/world.h"
#include "core/status.h"
#include "transport/collective.h"

namespace comex::api {

// Collective over the wire. `opening`: so many worlds this process has opened before. Fails on rank 0 alone,
// when the launch has no number left.
Status name_world(transport::Collective& all, std::uint32_t opening, World& world);

struct NodeNumbers {
  std::vector<std::int32_t> node_ranks;  // by rank
  std::vector<std::int32_t> app_ranks;   // of the own host, by local index
};
// Pure. told: by rank.
NodeNumbers number_on_nodes(const World& world, const pr::WorldSplit& split, std::span<const ToldRanks> told);

}  // namespace comex::api
