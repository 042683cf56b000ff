// What is printed as a world opens: notices of the split, and under COMEX_VERBOSE hosts, roles, who serves
// whom, settings and their sources.
#pragma once

#include <span>

#include "pr/setup/placement.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"

namespace comex::runtime {

// By rank 0. lacks_threads: by rank, 1 for a worker that serves itself and has no thread to do so.
void print_notices(const pr::WorldSplit& split, std::span<const unsigned char> lacks_threads, bool verbose,
                   const Reporter& out);

// What the banner shows of a rank. Travels as bytes.
struct ShownRank {
  pr::RankPlace place;
  pr::CpuMask cpus;  // that it may run on
};

// By worker 0, when verbose, as its world opens. shown: by rank.
void print_banner(const World& world, std::span<const ShownRank> shown, const Reporter& out);

}  // namespace comex::runtime
