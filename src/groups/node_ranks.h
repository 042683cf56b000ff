// Where node ranks begin in a world that is started later and lives on virtual hosts.
//
// The launcher counts the processes of a machine; it knows nothing of the virtual hosts that every world of
// the launch cuts it into. Pure: exact where the cut is even or listed, else some numbers are left out, but
// none is given twice. Called by runtime when a spawned world opens.
#pragma once

#include <cstdint>

namespace comex::groups {

struct MachineCut {
  std::uint32_t blocks = 1;      // even ones; 0: each virtual host has the same share of every world
  std::uint32_t ranks = 0;       // that share
  std::uint32_t of_machine = 0;  // all ranks of a world on the machine
};

// On a machine, as the launcher counts them.
struct Earlier {
  std::int32_t processes = 0;
  std::uint32_t jobs = 0;
};

constexpr std::int32_t first_node_rank(const MachineCut& cut, const Earlier& earlier) {
  const auto processes = static_cast<std::uint64_t>(earlier.processes);
  // A job of n has n / blocks processes on a virtual host, rounded up: at most so many are taken.
  const std::uint64_t taken = cut.blocks == 0
                                  ? processes / cut.of_machine * cut.ranks
                                  : (processes + std::uint64_t{earlier.jobs} * (cut.blocks - 1)) / cut.blocks;
  return static_cast<std::int32_t>(taken);
}

}  // namespace comex::groups
