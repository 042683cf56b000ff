#include "groups/process_ranks.h"

#include <map>

namespace comex::groups {

std::vector<ProcessRanks> rank_processes(std::span<const PlacedProcess> world,
                                         std::span<const std::vector<PlacedProcess>> earlier) {
  std::map<std::uint32_t, std::int32_t> before_on_host;
  for (const auto& other : earlier) {
    for (const PlacedProcess& process : other) ++before_on_host[process.host];
  }
  std::map<std::uint32_t, std::int32_t> on_host;
  std::map<std::int32_t, std::int32_t> in_app;
  std::vector<ProcessRanks> ranks;
  ranks.reserve(world.size());
  for (const PlacedProcess& process : world) {
    ProcessRanks mine;
    mine.vpid = static_cast<std::int32_t>(ranks.size());
    mine.local_rank = on_host[process.host]++;
    mine.node_rank = before_on_host[process.host] + mine.local_rank;
    mine.app_rank = in_app[process.app]++;
    ranks.push_back(mine);
  }
  return ranks;
}

}  // namespace comex::groups
