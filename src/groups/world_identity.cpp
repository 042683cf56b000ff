#include "groups/world_identity.h"

#include <algorithm>
#include <string>

#include "groups/world_number.h"

namespace comex::groups {
namespace {

std::uint64_t hash(std::string_view text, std::uint64_t basis) {
  for (const char each : text) basis = (basis ^ static_cast<unsigned char>(each)) * 0x100000001b3ULL;
  basis = (basis ^ (basis >> 32)) * 0x9e3779b97f4a7c15ULL;
  return basis ^ (basis >> 29);
}

}  // namespace

Result<WorldId> decide_world_id(const LaunchFacts& facts) {
  const WorldCounts counts{jobs_before(facts), facts.lowest_rank, facts.opening};
  const std::optional<std::uint32_t> number = number_of(counts);
  if (number) return facts.manager << 24 | *number;
  return caller_error("no number is left for this world, the " +
                      std::to_string(std::uint64_t{facts.opening} + 1) + ". that rank " +
                      std::to_string(facts.lowest_rank) + " of job " + std::to_string(counts.job) +
                      " of the launch opens: (job + 1) x (rank + 1) x openings may be up to " +
                      std::to_string(numbered_product) + "; start another launch for further worlds");
}

std::uint32_t jobs_before(const LaunchFacts& facts) {
  return facts.job.value_or(1) - 1;
}

std::optional<std::uint32_t> job_of_spawn(WorldId parent, std::uint32_t rank, std::uint32_t spawns) {
  constexpr WorldId number_mask = world_numbers - 1;
  constexpr std::uint32_t first_spawned = 2;  // job 1 is the launch's own
  const std::optional<std::uint32_t> place = number_of({parent & number_mask, rank, spawns});
  if (!place || !number_of({*place + first_spawned - 1, 0, 0})) return std::nullopt;
  return *place + first_spawned;
}

bool is_single_world(std::span<const Gpid> gpids) {
  return std::ranges::all_of(gpids, [&gpids](Gpid gpid) { return gpid.world == gpids.front().world; });
}

Id128 decide_launch_id(std::string_view launcher, Id128 drawn) {
  if (launcher.empty()) return drawn;
  return {hash(launcher, 0xcbf29ce484222325ULL), hash(launcher, 0x84222325cbf29ce4ULL)};
}

}  // namespace comex::groups
