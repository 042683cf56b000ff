// How long the messages are that a wire's MPI sends unasked: op/plan cuts bodies of some such by it, and
// whether small messages travel in bundles follows from it.
#pragma once

#include <cstdint>

#include "op/plan.h"
#include "runtime/opening/world.h"
#include "transport/mpi_eager.h"
#include "transport/mpi_transport.h"

namespace comex::runtime {

// Pure. `wanted` is COMEX_EAGER_THRESHOLD. A multiple of 16; 0: not known, or not wanted.
std::uint32_t eager_bytes(std::int64_t wanted, const transport::EagerBytes& known, bool spans_machines);

// Of the wire of this world, which has so many ranks.
op::Sizes wire_sizes(const World& world, TransportRank ranks);

// Pure. On a wire that spans machines or not, with these sizes. All of it agree on what is taken; each says
// for itself what it sends: only where MPI tells that it sends so much at once, whatever is set. Where jobs
// are so vast that messages are short, nothing is kept for bundles.
transport::Bundles bundles_on_wire(const op::Sizes& sizes, const transport::EagerBytes& told,
                                   bool spans_machines, bool is_worker);

}  // namespace comex::runtime
