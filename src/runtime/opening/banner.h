// Prints what users see when a world opens: notices of the split and, under COMEX_VERBOSE, hosts, roles, who
// serves whom, and the settings with their sources.
#pragma once

#include <span>

#include "pr/setup/placement.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"

namespace comex::runtime {

// Called by rank 0. some_lack_threads: of the workers that serve themselves.
void print_notices(const pr::WorldSplit& split, bool some_lack_threads, bool verbose, const Reporter& out);

// What the banner shows about a rank. Travels as bytes.
struct ShownRank {
  pr::RankPlace place;
  pr::CpuMask cpus;  // processors it may run on
};

// Called by worker 0, if verbose, when its world opens. `shown` is by rank.
void print_banner(const World& world, std::span<const ShownRank> shown, const Reporter& out);

}  // namespace comex::runtime
