// Who of several worlds holds a connection with whom, so that each learns of the death of every other
// world.
//
// Every process is linked to at least one of each other world. Of two worlds, each process of the larger one
// connects to one of the smaller, which are taken in turn; of two that are equal, the one of the higher
// number connects. Pure: all ranks decide the same from the same list. Used by worlds when a bridge
// opens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"

namespace comex::worlds {

struct LivenessPlan {
  std::vector<std::uint32_t> connects_to;  // ranks, one of each world that this one's is larger than
  std::uint32_t awaits = 0;                // so many connect to this rank
};
// `worlds`: of each rank.
LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me);

}  // namespace comex::worlds
