// Atomic operations on words of the arena, as requests ask for them.
//
// Workers of the host use the same instructions on the same words, so all are atomic together. The
// caller has checked bounds and alignment. Called by the server.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocol.h"
#include "kernels/atomics.h"

namespace comex::pr {

struct WordChange {
  protocol::Atomic atomic = protocol::Atomic::swap;
  std::uint64_t bytes = 8;  // or 4
  std::uint64_t operand = 0;
  std::uint64_t desired = 0;  // compare_swap only
};

// Returns the old value's bits, zero-extended.
inline std::uint64_t apply_atomic(const WordChange& change, std::byte* word) {
  if (change.bytes == 8) return kernels::modify(word, change.atomic, change.operand, change.desired);
  return kernels::modify(word, change.atomic, static_cast<std::uint32_t>(change.operand),
                         static_cast<std::uint32_t>(change.desired));
}

}  // namespace comex::pr
