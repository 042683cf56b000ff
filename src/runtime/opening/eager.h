// How long a message may be that MPI sends at once on a wire. op/plan cuts some bodies to this size, and it
// decides whether small messages travel in bundles.
#pragma once

#include <cstdint>

#include "mpi/library.h"
#include "op/plan.h"
#include "runtime/opening/world.h"
#include "transport/mpi_transport.h"

namespace comex::runtime {

// Pure. `wanted` is COMEX_EAGER_THRESHOLD. A multiple of 16; 0: not known, or not wanted.
std::uint32_t eager_bytes(std::int64_t wanted, const mpi::EagerBytes& known, bool spans_machines);

// The sizes on the wire of this world, which has this number of ranks.
op::Sizes wire_sizes(const World& world, TransportRank ranks);

// Pure. Decides on bundles for a wire with these sizes, which may span machines. All ranks agree on whether
// bundles are taken. Each decides alone whether it sends them: only if MPI reports that it sends that much at
// once, whatever is set. In jobs so large that messages are short, bundles are not used.
transport::Bundles bundles_on_wire(const op::Sizes& sizes, const mpi::EagerBytes& told, bool spans_machines,
                                   bool is_worker);

}  // namespace comex::runtime
