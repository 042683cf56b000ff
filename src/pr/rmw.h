// Atomic operations and signals on words of the arena, with the processor's own atomics.
//
// Workers of the host use the same instructions on the same words, so all are atomic together. The
// caller has checked bounds and alignment. Called by the server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocol.h"

namespace comex::pr {

struct WordChange {
  protocol::Atomic atomic = protocol::Atomic::swap;
  std::uint64_t bytes = 8;  // or 4
  std::uint64_t operand = 0;
  std::uint64_t desired = 0;  // compare_swap only
};

// Returns the old value's bits, zero-extended.
std::uint64_t apply_atomic(const WordChange& change, std::byte* word);

// Whoever sees the value also sees everything that was written before.
void apply_store(const protocol::RequestHeader& header, std::byte* word);

}  // namespace comex::pr
