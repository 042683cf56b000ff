// What is printed as a world opens: notices of the split, and under COMEX_VERBOSE hosts, roles, who serves
// whom, settings and their sources.
#pragma once

#include <span>

#include "api/report.h"
#include "api/world.h"
#include "pr/placement.h"

namespace comex::api {

// By rank 0. lacks_threads: by rank, 1 for a worker that serves itself and has no thread to do so.
void print_notices(const pr::WorldSplit& split, std::span<const unsigned char> lacks_threads, bool verbose,
                   const Reporter& out);

// By worker 0, when verbose, as its world opens. bindings: by rank, the processors it may run on.
void print_banner(const World& world, const pr::WorldSplit& split, std::span<const pr::CpuMask> bindings,
                  const Reporter& out);

}  // namespace comex::api
