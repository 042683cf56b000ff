// Finds out which ranks share a host: keys from facts, then a probe that must be attached to.
//
// Collective over the wire. Called once when a world opens, before the split.
#pragma once

#include <vector>

#include "api/report.h"
#include "core/settings.h"
#include "core/status.h"
#include "shm/os.h"
#include "transport/collective.h"

namespace comex::api {

// For each rank the lowest rank of its host. Says when ranks that look alike share no memory.
Result<std::vector<int>> find_hosts(transport::Collective& all, shm::Os& os, const Settings& settings,
                                    const Reporter& reporter);

}  // namespace comex::api
