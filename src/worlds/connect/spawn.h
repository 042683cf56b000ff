// Spawned worlds: one process starts another world, which meets its parents in its init.
//
// The parents' root calls start_and_await. Init calls the others: hear_parents on every rank, and
// meet_parents on the workers of a world over all ranks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/connect/leader_channel.h"

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
Result<FramedSocket> start_and_await(runtime::Runtime& runtime, const Spawn& spawn,
                                     const ShouldAbort& should_abort);

// Finds the program in the way the launcher will, because MPI does not report a missing one. A name with a
// slash is a path, relative to the working directory unless absolute. Other names are looked for along
// `search_path` (a:b:c) and then in the working directory.
using IsProgram = std::function<bool(const std::string& path)>;
Result<std::string> find_command(std::string_view command, std::string_view search_path,
                                 const IsProgram& is_there);
// True for a regular file that somebody may execute.
bool is_program(const std::string& path);

// Collective over MPI_COMM_WORLD, before a world opens: hears what the parents tell, then drops MPI's own
// connection with them, because worlds meet over a port. Empty: this world was not spawned by the runtime.
std::optional<runtime::Parents> hear_parents();
// Collective over all workers. COMEX_SUCCESS also if this world was not spawned.
int meet_parents(runtime::Runtime& runtime);

}  // namespace comex::worlds
