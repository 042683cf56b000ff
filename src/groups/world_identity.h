// Which number a world has, and which launch it belongs to.
//
// Pure: decided from facts that the launcher, MPI and the settings give. A number is unique in its launch and
// never given again (world_number.h); where a launch has used them up, no further world opens. Two launches
// that meet are told apart by their manager numbers; that they differ is checked with the 128-bit ids
// (managers.h). Called once by api when a world opens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/ids.h"
#include "core/status.h"

namespace comex::groups {

struct LaunchFacts {
  std::uint32_t manager = 0;         // COMEX_MANAGER
  std::optional<std::uint32_t> job;  // within the launch, from 1; empty: started without a launcher
  std::uint32_t lowest_rank = 0;     // in MPI_COMM_WORLD, of the ranks of this world
  std::uint32_t opening = 0;         // worlds that this rank has opened before
};
Result<WorldId> decide_world_id(const LaunchFacts& facts);
// How many jobs the launch has started before; none before its own, all others were spawned.
std::uint32_t jobs_before(const LaunchFacts& facts);

constexpr std::uint32_t manager_of(WorldId world) {
  return world >> 24;
}

// The launcher calls a job by a number whose lower half counts the jobs of the launch (Open MPI 4), or by a
// text that ends in @ and this count. Empty: none of these.
std::optional<std::uint32_t> job_of_namespace(std::string_view name);

// Whether all are of one world; true of nobody.
bool is_single_world(std::span<const Gpid> gpids);

// The id of a launch: made from what the launcher calls itself, the same for each of its jobs, or else
// `drawn`.
Id128 decide_launch_id(std::string_view launcher, Id128 drawn);

}  // namespace comex::groups
