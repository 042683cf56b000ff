// Two ranks of a process that follow from where each process of its world was placed: on its host, and in its
// part of a launch of several programs. They count progress ranks.
//
// Pure. The other two are not computed here: the vpid is the place in the list, and node ranks go on from
// where earlier worlds ended (node_ranks.h). Called by api when a world opens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "groups/world_description.h"

namespace comex::groups {

// One process, by vpid.
struct PlacedProcess {
  std::uint32_t host = 0;  // the same number on one host
  std::int32_t app = 0;    // which program of the launch, from 0
};

struct ProcessRanks {
  std::int32_t local_rank = unknown_rank;
  std::int32_t app_rank = unknown_rank;
  friend bool operator==(const ProcessRanks&, const ProcessRanks&) = default;
};

// Of one world, by vpid.
std::vector<ProcessRanks> rank_processes(std::span<const PlacedProcess> world);

}  // namespace comex::groups
