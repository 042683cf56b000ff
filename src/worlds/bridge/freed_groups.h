// The groups over one bridge that were freed but not disconnected. Their members stay connected.
//
// All members of a group free it together, and they disconnect together any group that includes it. So all of
// them know the same. Kept by Bridges with each bridge, under its lock.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace comex::worlds {

class FreedGroups {
 public:
  using Members = std::vector<Gpid>;  // ascending

  void add(Members members) {
    if (!has(members)) groups_.push_back(std::move(members));
  }
  // A group with these members was disconnected, which also releases the freed groups within it.
  void disconnected(const Members& members) {
    std::erase_if(groups_, [&](const Members& freed) { return std::ranges::includes(members, freed); });
  }
  // The others of its groups are still connected with each other.
  void world_gone(WorldId world) {
    for (Members& freed : groups_) std::erase_if(freed, [&](Gpid gpid) { return gpid.world == world; });
    std::erase_if(groups_, [](const Members& freed) {
      return freed.empty() || freed.front().world == freed.back().world;
    });
  }

  bool has_any() const { return !groups_.empty(); }
  // True if one of the freed groups has all of these members.
  bool has(const Members& members) const {
    return std::ranges::any_of(groups_,
                               [&](const Members& freed) { return std::ranges::includes(freed, members); });
  }

 private:
  std::vector<Members> groups_;
};

}  // namespace comex::worlds
