#include "groups/world_identity.h"

#include <algorithm>
#include <charconv>

namespace comex::groups {
namespace {

constexpr std::uint32_t part_bit = 1u << 23;  // of the 24 bits below the manager
constexpr std::uint32_t ranks_of_a_job = 1u << 16;

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::uint64_t hash(std::string_view text, std::uint64_t basis) {
  for (const char each : text) basis = (basis ^ static_cast<unsigned char>(each)) * 0x100000001b3ULL;
  basis = (basis ^ (basis >> 32)) * 0x9e3779b97f4a7c15ULL;
  return basis ^ (basis >> 29);
}

}  // namespace

WorldId decide_world_id(const LaunchFacts& facts) {
  const std::uint32_t job = facts.job.value_or(1) - 1;
  const std::uint32_t number = facts.is_part
                                   ? part_bit | ((job * ranks_of_a_job + facts.lowest_rank) & (part_bit - 1))
                                   : job & (part_bit - 1);
  return facts.manager << 24 | number;
}

std::optional<std::uint32_t> job_of_namespace(std::string_view name) {
  const std::size_t at = name.rfind('@');
  const auto number = number_in(at == std::string_view::npos ? name : name.substr(at + 1));
  if (!number) return std::nullopt;
  const auto job = static_cast<std::uint32_t>(at == std::string_view::npos ? *number & 0xffff : *number);
  if (job == 0) return std::nullopt;
  return job;
}

bool is_single_world(std::span<const Gpid> gpids) {
  return std::ranges::all_of(gpids, [&gpids](Gpid gpid) { return gpid.world == gpids.front().world; });
}

Id128 decide_launch_id(std::string_view launcher, Id128 drawn) {
  if (launcher.empty()) return drawn;
  return {hash(launcher, 0xcbf29ce484222325ULL), hash(launcher, 0x84222325cbf29ce4ULL)};
}

}  // namespace comex::groups
