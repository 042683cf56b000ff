// Decides which number a world has and which launch it belongs to.
//
// It is pure: facts of the launcher, MPI and the settings decide. A number is unique in its launch and never
// used again; when a launch has used all numbers, no further world opens. Two launches that meet differ in
// their manager numbers, which is checked with the 128-bit ids (joining.cpp). Used by runtime when a world
// opens.
//
// Three counts identify a world: its job in the launch, its lowest rank in that job, and the number of worlds
// that this rank has opened before. No two worlds agree in all three. A world's number is the place of its
// triple in the order of products. So each triple has its own number, none is wasted, and many jobs, ranks or
// openings fit into 24 bits, though not all at once.
//
// The first node rank of a world that starts later and lives on virtual hosts is computed here too: the
// launcher counts the processes of a machine, but does not know the virtual hosts into which every world cuts
// it. The result is exact if the cut is even or listed. Otherwise numbers are skipped, never repeated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/ids.h"
#include "core/status.h"

namespace comex::groups {

struct WorldCounts {
  std::uint32_t job = 0;          // all counts begin at 0
  std::uint32_t lowest_rank = 0;  // in MPI_COMM_WORLD
  std::uint32_t opening = 0;      // worlds that this rank has opened before
};

inline constexpr std::uint32_t world_numbers = 1u << 24;
// Every triple has a number if (job + 1) * (lowest_rank + 1) * (opening + 1) does not exceed this.
inline constexpr std::uint32_t numbered_product = 199943;

// Empty: the number would be beyond world_numbers.
std::optional<std::uint32_t> number_of(const WorldCounts& counts);

struct LaunchFacts {
  std::uint32_t manager = 0;         // COMEX_MANAGER
  std::optional<std::uint32_t> job;  // within the launch, from 1; empty: started without a launcher
  std::uint32_t lowest_rank = 0;     // in MPI_COMM_WORLD, among the ranks of this world
  std::uint32_t opening = 0;         // worlds that this rank has opened before
};
Result<WorldId> decide_world_id(const LaunchFacts& facts);
// How many jobs the launch started before this one; 0 for its own job, since all others were spawned.
std::uint32_t jobs_before(const LaunchFacts& facts);

constexpr std::uint32_t manager_of(WorldId world) {
  return world >> 24;
}

// The number of a job that a process spawns, for launchers that do not number jobs. It differs from that of
// every other job that any process of the launch spawns. `rank`: the spawner's in MPI_COMM_WORLD; `spawns`:
// how many it has spawned before in this world. Empty: no number is left.
std::optional<std::uint32_t> job_of_spawn(WorldId parent, std::uint32_t rank, std::uint32_t spawns);

// True if all are of one world, or if the list is empty.
bool is_single_world(std::span<const Gpid> gpids);

// The id of a launch. It is made from the launcher's name for itself, which is the same for each of its jobs,
// or else it is `drawn`.
Id128 decide_launch_id(std::string_view launcher, Id128 drawn);

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
