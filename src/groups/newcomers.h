// In which order a spawned process numbers the processes that it finds: after its own world's.
//
// Pure. COMEX_LPID_ORDER chooses: `spawner` takes the spawner's table as it stands, `parent` puts the parent
// group first, in rank order, then whom else the spawner knows. Used when a spawned world meets its parents.
#pragma once

#include <span>
#include <vector>

#include "core/ids.h"
#include "core/settings.h"

namespace comex::groups {

// `spawner_table`: WorldBook::lpid_table() of the root of the spawn. What is known already keeps its lpid.
std::vector<Gpid> newcomers_order(LpidOrder order, std::span<const Gpid> parents,
                                  std::span<const Gpid> spawner_table);

}  // namespace comex::groups
