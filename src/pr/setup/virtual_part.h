// Which virtual host of its machine a rank belongs to: what the ranks of a machine find out by themselves.
#pragma once

#include "pr/setup/world_split.h"

namespace comex::pr {

// Of the rank at this index among so many of its machine. A list of the wrong length cuts nothing:
// split_world refuses it.
int virtual_part(const VirtualHosts& cut, int index, int ranks);

}  // namespace comex::pr
