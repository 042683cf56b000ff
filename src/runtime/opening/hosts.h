// Finds out which ranks share a host: keys from facts, then a probe that must be attached to.
// Both are exchanged among ranks that may share a host; each learns the lowest rank of its own.
//
// Collective over the wire. Called once when a world opens, before the split.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/settings.h"
#include "core/status.h"
#include "pr/setup/host_key.h"
#include "runtime/report.h"
#include "shm/os.h"
#include "transport/collective.h"

namespace comex::runtime {

// What this process says of its host.
pr::HostKey own_host_key(shm::Os& os, const Settings& settings);

// The caller's: its lowest rank, which is its number, and all of its ranks.
struct Machine {
  int number = 0;
  std::unique_ptr<transport::Collective> ranks;
};
// Says when ranks that look alike share no memory.
Result<Machine> find_machine(transport::Collective& all, shm::Os& os, const Settings& settings,
                             const Reporter& reporter);

// For each of so many ranks the number of its machine. Among the lowest ranks of virtual hosts alone; `own`:
// the ranks of the caller's, ascending; `machine`: its number.
std::vector<int> machines_of_ranks(transport::Collective& lowest, int machine, std::span<const int> own,
                                   std::size_t ranks);

}  // namespace comex::runtime
