// The steps of opening a world, in the order of open_world.
//
// identity: a world gets its number, launch id and nonce, and its processes get their ranks in their
// programs.
// hosts: which ranks share a host, by keys from facts and then by a probe that each must attach to. Only
// ranks that may share a host exchange them; each learns the lowest rank of its own host.
// banner: what users see when a world opens: notices of the split and, under COMEX_VERBOSE, hosts, roles, who
// serves whom, and the settings with their sources.
// bind: with COMEX_BIND=progress, each progress rank is bound to a core to which no worker is bound; with
// COMEX_BIND=all, every rank to cores of its own. A rank that would have to share a core stays unbound, free
// to run anywhere, and a line says so. All ranks of a machine, virtual hosts or not, see the same bindings
// and make the same choice.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/settings.h"
#include "core/status.h"
#include "mpi/symbols.h"
#include "pr/setup/host_key.h"
#include "pr/setup/placement.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "shm/os.h"
#include "transport/collective.h"

namespace comex::runtime {

// Collective over the wire. `opening`: the number of worlds that this process has opened before. It fails on
// rank 0 only, when the launch has no number left.
Status name_world(transport::Collective& all, std::uint32_t opening, World& world);

// The key that this process computes for its host.
pr::HostKey own_host_key(shm::Os& os, const Settings& settings);

// The caller's machine: its number, which is its lowest rank, and its ranks.
struct Machine {
  int number = 0;
  std::unique_ptr<transport::Collective> ranks;
};
// Collective over the wire, before the split. Prints a notice if ranks that look alike share no memory.
// Returns this rank's failure; where another one of its machine has failed, nothing is found either.
Status find_machine(transport::Collective& all, shm::Os& os, const Settings& settings,
                    const Reporter& reporter, Machine& found);

// Returns the number of the machine of each of `ranks` ranks. Collective over the lowest ranks of virtual
// hosts. `own`: the caller's ranks, ascending; `machine`: their number.
std::vector<int> machines_of_ranks(transport::Collective& lowest, int machine, std::span<const int> own,
                                   std::size_t ranks);

// Whether the checker that COMEX_CHECK asks for stands in front of the calls that the program makes.
inline Status check_attached(CheckMode wanted, OnFailure on_failure) {
  if (wanted == CheckMode::off) return {};
  if (on_failure != OnFailure::abort) {
    return environment_error(
        "COMEX_CHECK and COMEX_ON_FAILURE=continue do not go together: the checker waits for all");
  }
  auto* const attached = mpi::function_named<int()>("comex_checker_attached");
  if (attached != nullptr && attached() != 0) return {};
  return environment_error(
      "COMEX_CHECK is set, and no checker sees the program's calls: start it by comexrun --check or with "
      "libcomex_check.so in LD_PRELOAD, linked with the shared library of comex");
}

// Collective over the ranks of one machine.
void bind_ranks(transport::Collective& machine, World& world, const Reporter& reporter);
// Where the launcher had put this rank, for a caller that gets it back.
void unbind(const World& world);

// Called by rank 0. some_lack_threads: of the workers that serve themselves.
void print_notices(const pr::WorldSplit& split, bool some_lack_threads, bool verbose, const Reporter& out);

// What the banner shows about a rank. Travels as bytes.
struct ShownRank {
  pr::RankPlace place;
  pr::CpuMask cpus;  // processors it may run on
};

// Called by worker 0, if verbose, when its world opens. `shown` is by rank.
void print_banner(const World& world, std::span<const ShownRank> shown, const Reporter& out);

}  // namespace comex::runtime
