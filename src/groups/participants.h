// Lists the participants in the collectives of a group: its members, or both sides of an inter-group.
//
// The low side comes first. It is the side whose rank 0 has the smaller gpid, so that all know it without
// communication. Used by runtime and worlds for each group handle.
#pragma once

#include <cstdint>

#include "groups/connection_table.h"
#include "groups/group.h"
#include "groups/world_registry.h"

namespace comex::groups {

struct Participants {
  ConnectionTable members;  // the low side's, then the high side's
  std::uint32_t my_index = 0;
  std::uint32_t low_size = 0;  // equal to the whole size if there is one side
  bool is_low = true;          // true if the caller is on the low side
};
Participants participants(const Group& group, const WorldRegistry& registry);

// The lpids of participants() by index, for callers that keep them. It shares the group's tables.
class BothSides {
 public:
  BothSides(const Group& group, bool is_low)
      : low_(is_low ? group.members() : group.targets()), high_(is_low ? group.targets() : group.members()) {}

  Lpid lpid(std::uint32_t index) const {
    return index < low_.size() ? low_.lpid(index) : high_.lpid(index - low_.size());
  }

 private:
  ConnectionTable low_;  // the only one in a group that is no inter-group
  ConnectionTable high_;
};

// Without their order.
inline bool is_in(const Group& group, Lpid lpid) {
  return group.members().rank_of(lpid) >= 0 || (group.is_inter() && group.targets().rank_of(lpid) >= 0);
}

// Calls f(lpid) in the order of ranks.
template <class F>
void for_each_lpid(const ConnectionTable& table, F&& f) {
  for (std::uint32_t rank = 0; rank < table.size(); ++rank) f(table.lpid(rank));
}

template <class F>
void for_each_process(const Group& group, F&& f) {
  for_each_lpid(group.members(), f);
  if (group.is_inter()) for_each_lpid(group.targets(), f);
}

}  // namespace comex::groups
