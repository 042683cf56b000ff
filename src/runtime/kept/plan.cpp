#include "runtime/kept/plan.h"

#include <algorithm>
#include <unordered_map>

namespace comex::runtime {
namespace {

struct HostMembers {
  std::vector<std::uint32_t> members;
  std::uint32_t parts = 0;    // whose mirrors have been placed
  std::uint32_t mirrors = 0;  // that lie here so far
};

// In order of their lowest members; `host_of` gives the place of each member's host in the result.
std::vector<HostMembers> group_by_host(std::span<const std::uint32_t> hosts,
                                       std::vector<std::uint32_t>& host_of) {
  std::vector<HostMembers> found;
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (std::uint32_t member = 0; member < hosts.size(); ++member) {
    const auto [at, is_new] = places.try_emplace(hosts[member], static_cast<std::uint32_t>(found.size()));
    if (is_new) found.emplace_back();
    found[at->second].members.push_back(member);
    host_of.push_back(at->second);
  }
  return found;
}

}  // namespace

std::uint32_t count_hosts(std::span<const std::uint32_t> hosts) {
  std::vector<std::uint32_t> host_of;
  return static_cast<std::uint32_t>(group_by_host(hosts, host_of).size());
}

std::vector<std::uint32_t> choose_mirrors(std::span<const std::uint32_t> hosts,
                                          std::span<const std::uint32_t> homes, std::uint32_t copies) {
  std::vector<std::uint32_t> host_of;
  std::vector<HostMembers> by_host = group_by_host(hosts, host_of);
  std::vector<std::uint32_t> mirrors;
  if (copies == 0) return mirrors;
  const auto others = static_cast<std::uint32_t>(by_host.size() - 1);
  for (const std::uint32_t home : homes) {
    const std::uint32_t own = host_of[home];
    const std::uint32_t turn = by_host[own].parts++;
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      const std::uint32_t step = 1 + (turn + copy) % others;
      HostMembers& there = by_host[(own + step) % by_host.size()];
      mirrors.push_back(there.members[there.mirrors++ % there.members.size()]);
    }
  }
  return mirrors;
}

void find_homes(std::span<std::uint32_t> homes, std::uint32_t members) {
  std::vector<std::uint32_t> parts(members);
  for (const std::uint32_t home : homes) {
    if (home != no_home) ++parts[home];
  }
  for (std::uint32_t& home : homes) {
    if (home != no_home) continue;
    home = static_cast<std::uint32_t>(std::ranges::min_element(parts) - parts.begin());
    ++parts[home];
  }
}

}  // namespace comex::runtime
