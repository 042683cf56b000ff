// Links each process of a bridge to one of every other world on it, so that it learns of that world's death.
//
// MPI does not report it. A link is a TCP connection of the runtime that is silent while both live
// (ports/life_watch). If the network refuses a link, the bridge works without it. Called by join, inside the
// step in which all of both sides are present.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ids.h"
#include "runtime/report.h"
#include "transport/collective.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::worlds {

struct LinkedWorlds {
  LivenessLinks links;             // of this process, by world
  std::uint32_t dead_workers = 0;  // of its own world: the most that one of it in `all` knows
};

// `dead_workers`: of the own world, as this process knows. `limit_s`: of the step.
LinkedWorlds link_worlds(transport::Collective& all, WorldId own, std::uint32_t dead_workers, double limit_s,
                         const runtime::Reporter& reporter);

// Which processes of several worlds hold links. Every process is linked to at least one of each other world.
// Of two worlds, each process of the larger one connects to a process of the smaller, which take turns; if
// both are equal, the world with the higher number connects. All ranks decide the same from the same list.
struct LivenessPlan {
  std::vector<std::uint32_t> connects_to;  // ranks, one of each smaller world
  std::uint32_t awaits = 0;                // number of processes that connect to this rank
};
// Pure. `worlds` has the world of each rank.
LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me);

}  // namespace comex::worlds
