#include "worlds/connect/liveness_plan.h"

#include <algorithm>
#include <map>

namespace comex::worlds {

LivenessPlan plan_links(std::span<const WorldId> worlds, std::uint32_t me) {
  std::map<WorldId, std::vector<std::uint32_t>> members;
  for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) members[worlds[rank]].push_back(rank);
  const std::vector<std::uint32_t>& own = members[worlds[me]];
  const auto place = static_cast<std::size_t>(std::ranges::find(own, me) - own.begin());
  LivenessPlan plan;
  for (const auto& [world, others] : members) {
    if (world == worlds[me]) continue;
    const bool connects = own.size() > others.size() || (own.size() == others.size() && worlds[me] > world);
    if (connects) {
      plan.connects_to.push_back(others[place % others.size()]);
    } else {
      const std::size_t rest = others.size() % own.size();
      plan.awaits += static_cast<std::uint32_t>(others.size() / own.size() + (place < rest ? 1 : 0));
    }
  }
  return plan;
}

}  // namespace comex::worlds
