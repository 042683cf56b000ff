// What a spawned world does in init: it meets the one that spawned it.
//
// Called by init on the workers of a world over all ranks, and before it on every rank.
#pragma once

#include "api/runtime.h"

namespace comex::api {

// The name under which a spawned process finds its parents' port in its environment.
inline constexpr const char* spawned_name = "COMEX_SPAWNED";

// On every rank, before a world opens: MPI's own tie to the parents goes, since worlds meet over a port.
void let_go_of_parents();
// Collective over all workers. COMEX_SUCCESS also where nobody spawned this world.
int meet_parents(Runtime& runtime);

}  // namespace comex::api
