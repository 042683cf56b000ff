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
constexpr std::uint32_t number_in_launch(WorldId world) {
  return world & 0xffffff;
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

}  // namespace comex::groups
