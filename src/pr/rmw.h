// Applies the atomic operation of a request to a word of the arena.
//
// Workers of the host apply the same function to the same signed words, so all of these are atomic together.
// The caller has checked bounds and alignment. Called by the server.
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
  const Scalar scalar = change.bytes == 8 ? Scalar::int64 : Scalar::int32;
  const auto old = static_cast<std::uint64_t>(kernels::modify(word, scalar, change.atomic,
                                                              static_cast<std::int64_t>(change.operand),
                                                              static_cast<std::int64_t>(change.desired)));
  return change.bytes == 8 ? old : static_cast<std::uint32_t>(old);
}

}  // namespace comex::pr
