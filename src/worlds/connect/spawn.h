// Spawned worlds: one process starts another world, which meets its parents in its init.
//
// The parents' root calls start_and_await. Init calls the others: let_go_of_parents on every rank, and
// meet_parents on the workers of a world over all ranks.
#pragma once

#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

// The environment variable in which a spawned process finds its parents' port.
inline constexpr const char* spawned_name = "COMEX_SPAWNED";

struct Spawn {
  std::string command;
  std::vector<std::string> arguments;
  int processes = 0;
};
// On the root of the parents.
Result<LeaderConnection> start_and_await(runtime::Runtime& runtime, const Spawn& spawn,
                                         const ShouldAbort& should_abort);

// Called on every rank before a world opens: drops MPI's own connection with the parents, because worlds meet
// over a port.
void let_go_of_parents();
// Collective over all workers. COMEX_SUCCESS also if this world was not spawned.
int meet_parents(runtime::Runtime& runtime);

}  // namespace comex::worlds
