// Computes the first node rank of a world that starts later and lives on virtual hosts.
//
// The launcher counts the processes of a machine, but does not know the virtual hosts into which every world
// cuts it. It is pure. The result is exact if the cut is even or listed. Otherwise numbers are skipped,
// never repeated. Used by runtime when a spawned world opens.
#pragma once

#include <cstdint>

namespace comex::groups {

struct MachineCut {
  std::uint32_t blocks = 1;      // of equal size; 0: each virtual host has the same share of every world
  std::uint32_t ranks = 0;       // the size of that share
  std::uint32_t of_machine = 0;  // all ranks of a world on the machine
};

// Earlier processes and jobs on a machine, as the launcher counts them.
struct EarlierOnMachine {
  std::int32_t processes = 0;
  std::uint32_t jobs = 0;
};

constexpr std::int32_t first_node_rank(const MachineCut& cut, const EarlierOnMachine& earlier) {
  const auto processes = static_cast<std::uint64_t>(earlier.processes);
  // A job of n has n / blocks processes on a virtual host, rounded up, so at most this many are taken.
  const std::uint64_t taken = cut.blocks == 0
                                  ? processes / cut.of_machine * cut.ranks
                                  : (processes + std::uint64_t{earlier.jobs} * (cut.blocks - 1)) / cut.blocks;
  return static_cast<std::int32_t>(taken);
}

}  // namespace comex::groups
