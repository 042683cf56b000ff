// Who takes part in the collectives of a group: its members, or both sides of an inter-group, the low side
// first.
//
// The low side is the one whose rank 0 has the smaller gpid, so that all know without asking. Used by api for
// each group handle.
#pragma once

#include <cstdint>

#include "groups/connection_table.h"
#include "groups/group.h"
#include "groups/world_book.h"

namespace comex::groups {

struct Everybody {
  ConnectionTable members;  // the low side's, then the high side's
  std::uint32_t my_index = 0;
  std::uint32_t low_size = 0;  // all of them where there is one side only
  bool is_low = true;          // the caller's side
};
Everybody everybody(const Group& group, const WorldBook& book);

}  // namespace comex::groups
