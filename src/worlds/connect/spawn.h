// Spawned worlds: one process starts another world, which meets its parents in its init.
//
// The parents' root calls start_and_await. Init calls the others: hear_parents on every rank, and
// meet_parents on the workers of a world over all ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/connect/leader_connection.h"

namespace comex::worlds {

// The environment variable that spawned processes have. What else they receive, a secret among it, comes by
// MPI.
inline constexpr const char* spawned_name = "COMEX_SPAWNED";

struct Spawn {
  std::string command;
  std::vector<std::string> arguments;
  int processes = 0;
};
// On the root of the parents.
Result<LeaderConnection> start_and_await(runtime::Runtime& runtime, const Spawn& spawn,
                                         const ShouldAbort& should_abort);

// Collective over MPI_COMM_WORLD, before a world opens: hears what the parents tell, then drops MPI's own
// connection with them, because worlds meet over a port. Empty: this world was not spawned by the runtime.
std::optional<runtime::Parents> hear_parents();
// Collective over all workers. COMEX_SUCCESS also if this world was not spawned.
int meet_parents(runtime::Runtime& runtime);

}  // namespace comex::worlds
