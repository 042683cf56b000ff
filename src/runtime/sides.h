// The processes of a group, on both sides if it has two: an inter-group's ranks name the other side, and both
// sides take part in its collectives.
#pragma once

#include "groups/group.h"

namespace comex::runtime {

inline bool is_in(const groups::Group& group, Lpid lpid) {
  return group.members().rank_of(lpid) >= 0 || (group.is_inter() && group.targets().rank_of(lpid) >= 0);
}

// Calls f(lpid) in the order of ranks.
template <class F>
void for_each_lpid(const groups::ConnectionTable& table, F&& f) {
  for (std::uint32_t rank = 0; rank < table.size(); ++rank) f(table.lpid(rank));
}

template <class F>
void for_each_process(const groups::Group& group, F&& f) {
  for_each_lpid(group.members(), f);
  if (group.is_inter()) for_each_lpid(group.targets(), f);
}

}  // namespace comex::runtime
