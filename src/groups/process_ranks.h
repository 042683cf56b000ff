// The four ranks of a process: in its world, on its host within its world, on its host over all worlds of the
// launch, and in its part of a launch of several programs. They count progress ranks.
//
// Pure: computed from where each process was placed; what the launcher says is for those it knows more of.
// Called by api when a world opens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "groups/world_description.h"

namespace comex::groups {

// One process, by vpid. Travels as bytes.
struct PlacedProcess {
  std::uint32_t host = 0;  // the same number on one host, in all worlds given
  std::int32_t app = 0;    // which program of the launch, from 0
};
static_assert(sizeof(PlacedProcess) == 8);

struct ProcessRanks {
  std::int32_t vpid = unknown_rank;
  std::int32_t local_rank = unknown_rank;
  std::int32_t node_rank = unknown_rank;
  std::int32_t app_rank = unknown_rank;
  friend bool operator==(const ProcessRanks&, const ProcessRanks&) = default;
};

// Of the last world, by vpid. `earlier`: the worlds of the launch that were started before it, gone ones too,
// in any order: no node rank is given twice.
std::vector<ProcessRanks> rank_processes(std::span<const PlacedProcess> world,
                                         std::span<const std::vector<PlacedProcess>> earlier = {});

}  // namespace comex::groups
