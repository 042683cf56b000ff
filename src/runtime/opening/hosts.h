// Finds out which ranks share a host, by keys from facts and then by a probe that each must attach to.
//
// Only ranks that may share a host exchange them; each learns the lowest rank of its own host. Collective
// over the wire. Called once when a world opens, before the split.
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

// The key that this process computes for its host.
pr::HostKey own_host_key(shm::Os& os, const Settings& settings);

// The caller's machine: its number, which is its lowest rank, and its ranks.
struct Machine {
  int number = 0;
  std::unique_ptr<transport::Collective> ranks;
};
// Prints a notice if ranks that look alike share no memory. Returns this rank's failure; where another one of
// its machine has failed, nothing is found either.
Status find_machine(transport::Collective& all, shm::Os& os, const Settings& settings,
                    const Reporter& reporter, Machine& found);

// Returns the number of the machine of each of `ranks` ranks. Collective over the lowest ranks of virtual
// hosts. `own`: the caller's ranks, ascending; `machine`: their number.
std::vector<int> machines_of_ranks(transport::Collective& lowest, int machine, std::span<const int> own,
                                   std::size_t ranks);

}  // namespace comex::runtime
