// Atomic operations and signals on words of the arena, with the processor's own atomics.
//
// Workers of the host use the same instructions on the same words, so all are atomic together. The
// caller has checked bounds and alignment. Called by the server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocol.h"

namespace comex::pr {

// Returns the old value's bits, zero-extended.
std::uint64_t apply_atomic(const protocol::RequestHeader& header, std::uint64_t desired, std::byte* word);

// Whoever sees the value also sees everything that was written before.
void apply_store(const protocol::RequestHeader& header, std::byte* word);

}  // namespace comex::pr
