// The groups over each bridge that were freed but not disconnected. Their members stay connected.
//
// All members of a group free it together, and they disconnect together any group that includes it. So all of
// them know the same. Any thread may call. Part of Bridges.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::worlds {

class FreedGroups {
 public:
  using Bridge = std::uint32_t;
  using Members = std::vector<Gpid>;  // ascending

  void add(Bridge bridge, Members members) {
    const std::lock_guard lock(mutex_);
    if (!includes(bridge, members)) by_bridge_[bridge].push_back(std::move(members));
  }
  // A group with these members was disconnected, which also releases the freed groups within it.
  void disconnected(Bridge bridge, const Members& members) {
    const std::lock_guard lock(mutex_);
    const auto found = by_bridge_.find(bridge);
    if (found == by_bridge_.end()) return;
    std::erase_if(found->second, [&](const Members& freed) { return std::ranges::includes(members, freed); });
  }
  // The others of its groups are still connected with each other.
  void world_gone(WorldId world) {
    const std::lock_guard lock(mutex_);
    for (auto& [bridge, groups] : by_bridge_) {
      for (Members& freed : groups) std::erase_if(freed, [&](Gpid gpid) { return gpid.world == world; });
      std::erase_if(groups, [](const Members& freed) {
        return freed.empty() || freed.front().world == freed.back().world;
      });
    }
  }
  void bridge_gone(Bridge bridge) {
    const std::lock_guard lock(mutex_);
    by_bridge_.erase(bridge);
  }

  bool has_any(Bridge bridge) const {
    const std::lock_guard lock(mutex_);
    const auto found = by_bridge_.find(bridge);
    return found != by_bridge_.end() && !found->second.empty();
  }
  // True if one of the freed groups has all of these members.
  bool has(Bridge bridge, const Members& members) const {
    const std::lock_guard lock(mutex_);
    return includes(bridge, members);
  }

 private:
  bool includes(Bridge bridge, const Members& members) const {
    const auto found = by_bridge_.find(bridge);
    return found != by_bridge_.end() && std::ranges::any_of(found->second, [&](const Members& freed) {
             return std::ranges::includes(freed, members);
           });
  }

  mutable std::mutex mutex_;
  std::map<Bridge, std::vector<Members>> by_bridge_;
};

}  // namespace comex::worlds
