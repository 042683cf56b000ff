#include "groups/world_identity.h"

#include <algorithm>
#include <string>

namespace comex::groups {
namespace {

using Number = std::uint64_t;

// The sum of f(x / a) for a from 1 to x. Equal quotients take one step.
template <class F>
Number sum_over_quotients(Number x, F&& f) {
  Number sum = 0;
  for (Number a = 1; a <= x;) {
    const Number quotient = x / a;
    const Number last = x / quotient;
    sum += (last - a + 1) * f(quotient);
    a = last + 1;
  }
  return sum;
}

// How many pairs or triples of numbers from 1 have a product of at most x.
Number pairs_up_to(Number x) {
  return sum_over_quotients(x, [](Number quotient) { return quotient; });
}
Number triples_up_to(Number x) {
  return sum_over_quotients(x, pairs_up_to);
}

Number divisors_above(Number bound, Number x) {
  Number found = 0;
  for (Number a = bound + 1; a <= x; ++a) {
    if (x % a == 0) ++found;
  }
  return found;
}

std::uint64_t hash(std::string_view text, std::uint64_t basis) {
  for (const char each : text) basis = (basis ^ static_cast<unsigned char>(each)) * 0x100000001b3ULL;
  basis = (basis ^ (basis >> 32)) * 0x9e3779b97f4a7c15ULL;
  return basis ^ (basis >> 29);
}

}  // namespace

std::optional<std::uint32_t> number_of(const WorldCounts& counts) {
  const Number job = Number{counts.job} + 1;
  const Number rank = Number{counts.lowest_rank} + 1;
  const Number opening = Number{counts.opening} + 1;
  // There are at least as many triples as products.
  if (job > world_numbers || rank > world_numbers / job || opening > world_numbers / (job * rank)) return {};
  const Number product = job * rank * opening;
  Number place = triples_up_to(product - 1);
  if (place >= world_numbers) return {};
  // Within one product, higher jobs come first, then higher ranks.
  for (Number other = job + 1; other <= product; ++other) {
    if (product % other == 0) place += divisors_above(0, product / other);
  }
  place += divisors_above(rank, product / job);
  if (place >= world_numbers) return {};
  return static_cast<std::uint32_t>(place);
}

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
  constexpr std::uint32_t first_spawned = 2;  // job 1 is the launch's own
  const std::optional<std::uint32_t> place = number_of({number_in_launch(parent), rank, spawns});
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
