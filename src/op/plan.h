// Decides how a remote operation travels. A plan is a pure value of fixed size: no heap, no effects.
//
//   contiguous       data (put, acc) or reply data (get) within one message, else chunks straight from or to
//                    the caller's memory
//   strided          the same, but pieces through staging buffers; chunks where the far side is contiguous
//   small segments   of a vector: messages of as many segments as fit, data inside
//   medium segments  messages of offsets, data in pieces through staging
//   large segments   each one a contiguous operation
//
// core/pieces.h defines chunks and pieces; a body of few eager messages is cut into these (decision 0017).
// Elements are never cut: both are multiples of 16, and messages hold whole segments. op/remote makes one
// for each operation.
#pragma once

#include <cstdint>

#include "core/operation.h"
#include "core/protocol.h"

namespace comex::op {

struct Sizes {
  std::uint32_t message_bytes = protocol::message_bytes;
  std::uint32_t chunk_bytes = 256 * 1024;
  std::uint32_t piece_bytes = 256 * 1024;  // the most that the server stages at once
  std::uint32_t eager_bytes = 0;  // the longest message that MPI sends without a handshake; 0: not known
};

// Returns the sizes that the servers of a wire with so many origins use. The chunk is one that Settings
// allows.
Sizes sizes_on_wire(std::uint32_t chunk_bytes, TransportRank origins, std::uint64_t staging_reserve);

struct Plan {
  // Verb, layout, scalar, flags, bytes and chunk_bytes of the first message; without bytes there is nothing
  // to do. For scatters, `bytes` is filled in message by message.
  protocol::RequestHeader header;
  // The chunk for a body that must not be cut into eager messages.
  std::uint32_t rendezvous_chunk_bytes = 0;
  std::uint32_t descriptor_bytes =
      0;  // what follows the header, inline data excluded; scatters: without offsets
  std::uint32_t segments_per_message = 1;
};

Plan make_plan(const Operation& operation, const Sizes& sizes);
// Plans one large segment of a vector.
Plan plan_contiguous(Action action, Scalar scalar, std::uint64_t bytes, const Sizes& sizes,
                     bool has_signal = false);

}  // namespace comex::op
