// Decides which processes of several worlds hold links, by which each learns of any other world's death.
//
// Every process is linked to at least one of each other world. Of two worlds, each process of the larger one
// connects to a process of the smaller, which take turns; if both are equal, the world with the higher number
// connects. Pure: all ranks decide the same from the same list. Used by worlds when a bridge opens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"

namespace comex::worlds {

struct LivenessPlan {
  std::vector<std::uint32_t> connects_to;  // ranks, one of each smaller world
  std::uint32_t awaits = 0;                // number of processes that connect to this rank
};
// `worlds` has the world of each rank.
LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me);

}  // namespace comex::worlds
