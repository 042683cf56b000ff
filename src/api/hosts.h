// Finds out which ranks share a host: keys from facts, then a probe that must be attached to.
// Both are exchanged among ranks that may share a host; all learn the lowest rank of each host.
//
// Collective over the wire. Called once when a world opens, before the split.
#pragma once

#include <vector>

#include "api/report.h"
#include "core/settings.h"
#include "core/status.h"
#include "pr/host_key.h"
#include "shm/os.h"
#include "transport/collective.h"

namespace comex::api {

// What this process says of its host.
pr::HostKey own_host_key(shm::Os& os, const Settings& settings);

// For each rank the lowest rank of its host. Says when ranks that look alike share no memory.
Result<std::vector<int>> find_hosts(transport::Collective& all, shm::Os& os, const Settings& settings,
                                    const Reporter& reporter);

}  // namespace comex::api
