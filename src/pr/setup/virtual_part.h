// Computes the virtual host of a rank within its machine. The ranks of a machine need no others for it.
#pragma once

#include "pr/setup/world_split.h"

namespace comex::pr {

// For the rank at this index among the ranks of its machine. A list of the wrong length cuts nothing, and
// split_world refuses it.
int virtual_part(const VirtualHosts& cut, int index, int ranks);

}  // namespace comex::pr
