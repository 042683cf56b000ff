// The order in which a spawned process numbers the processes it finds, after those of its own world.
//
// It is pure. COMEX_LPID_ORDER chooses: `spawner` takes the spawner's table unchanged; `parent` puts the
// parent group first, in rank order, then the others that the spawner knows. Used when a spawned world meets
// its parents.
#pragma once

#include <span>
#include <vector>

#include "core/ids.h"
#include "core/settings.h"

namespace comex::groups {

// `spawner_table` is WorldBook::lpid_table() of the root of the spawn. Known processes keep their lpid.
std::vector<Gpid> newcomers_order(LpidOrder order, std::span<const Gpid> parents,
                                  std::span<const Gpid> spawner_table);

}  // namespace comex::groups
