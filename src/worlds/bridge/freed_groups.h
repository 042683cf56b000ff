// The groups over each bridge that were freed, and so keep their members connected: who disconnects no group
// of them is still reached.
//
// All members of a group free it together, and likewise disconnect those with more members than it, so all of
// them know the same. Owned by Bridges, which locks; pure.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::worlds {

class FreedGroups {
 public:
  using Bridge = std::uint32_t;
  using Members = std::vector<Gpid>;  // ascending

  void add(Bridge bridge, Members members) {
    if (!has(bridge, members)) by_bridge_[bridge].push_back(std::move(members));
  }
  // A group of these has been disconnected: what it has of those that were freed is let go with it.
  void disconnected(Bridge bridge, const Members& members) {
    const auto found = by_bridge_.find(bridge);
    if (found == by_bridge_.end()) return;
    std::erase_if(found->second, [&](const Members& freed) { return std::ranges::includes(members, freed); });
  }
  void world_gone(WorldId world) {
    const auto names_it = [world](const Members& freed) {
      return std::ranges::find(freed, world, &Gpid::world) != freed.end();
    };
    for (auto& [bridge, groups] : by_bridge_) std::erase_if(groups, names_it);
  }
  void bridge_gone(Bridge bridge) { by_bridge_.erase(bridge); }

  bool has_any(Bridge bridge) const {
    const auto found = by_bridge_.find(bridge);
    return found != by_bridge_.end() && !found->second.empty();
  }
  // One of them has all of these.
  bool has(Bridge bridge, const Members& members) const {
    const auto found = by_bridge_.find(bridge);
    return found != by_bridge_.end() && std::ranges::any_of(found->second, [&](const Members& freed) {
             return std::ranges::includes(freed, members);
           });
  }

 private:
  std::map<Bridge, std::vector<Members>> by_bridge_;
};

}  // namespace comex::worlds
