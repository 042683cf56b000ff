#include "groups/process_ranks.h"

#include <algorithm>

namespace comex::groups {

AppRanks::AppRanks(std::span<const int> vpids, std::span<const std::int32_t> apps)
    : processes_(vpids.size()) {
  for (std::size_t i = 0; i < vpids.size(); ++i) own_[apps[i]].push_back({i, vpids[i]});
}

void AppRanks::count(int vpid, std::int32_t app) {
  const auto mine = own_.find(app);
  if (mine == own_.end()) return;
  const auto above = std::ranges::upper_bound(mine->second, vpid, {}, &Own::vpid);
  if (above != mine->second.end()) ++above->lower;
}

std::vector<std::int32_t> AppRanks::ranks() const {
  std::vector<std::int32_t> by_local_index(processes_);
  for (const auto& [app, processes] : own_) {
    std::int32_t lower = 0;
    for (const Own& own : processes) by_local_index[own.local_index] = lower += own.lower;
  }
  return by_local_index;
}

}  // namespace comex::groups
