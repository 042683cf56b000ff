#include "groups/process_ranks.h"

#include <map>

namespace comex::groups {

std::vector<ProcessRanks> rank_processes(std::span<const PlacedProcess> world) {
  std::map<std::uint32_t, std::int32_t> on_host;
  std::map<std::int32_t, std::int32_t> in_app;
  std::vector<ProcessRanks> ranks;
  ranks.reserve(world.size());
  for (const PlacedProcess& process : world) {
    ranks.push_back({on_host[process.host]++, in_app[process.app]++});
  }
  return ranks;
}

}  // namespace comex::groups
