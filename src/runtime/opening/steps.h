// The steps of opening a world that have no other user, in the order of open_world.
//
// identity: a world gets its number, launch id and nonce, and its processes get their ranks in their
// programs.
//
// bind: with COMEX_BIND=progress, each progress rank is bound to a core to which no worker is bound; with
// COMEX_BIND=all, every rank to cores of its own. A rank that would have to share a core stays unbound, free
// to run anywhere, and a line says so. All ranks of a machine, virtual hosts or not, see the same bindings
// and make the same choice.
#pragma once

#include "core/settings.h"
#include "core/status.h"
#include "mpi/symbols.h"
#include "runtime/opening/world.h"
#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

// Collective over the wire. `opening`: the number of worlds that this process has opened before. It fails on
// rank 0 only, when the launch has no number left.
Status name_world(transport::Collective& all, std::uint32_t opening, World& world);

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

}  // namespace comex::runtime
