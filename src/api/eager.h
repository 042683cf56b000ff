// How long the messages are that a wire's MPI sends unasked: op/plan cuts bodies of some such by it.
#pragma once

#include <cstdint>

#include "transport/mpi_eager.h"

namespace comex::api {

// Pure. `wanted` is COMEX_EAGER_THRESHOLD. A multiple of 16; 0: not known, or not wanted.
std::uint32_t eager_bytes(std::int64_t wanted, const transport::EagerBytes& known, bool spans_machines);

}  // namespace comex::api
