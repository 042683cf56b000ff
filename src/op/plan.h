// Decides how a remote operation travels: a pure, fixed-size value, no heap, no effects.
//
//   inline_message    data (put, acc) or reply data (get) within one message
//   header_then_body  contiguous: chunks straight from or to the caller's memory
//   packed_pipeline   strided: pieces through staging buffers, chunks where the far side is contiguous
//   inline_scatter    vector of small segments: messages of as many segments as fit, data inside
//   described_scatter vector of medium segments: messages of offsets, data in pieces through staging
//   each_segment      vector of large segments: each one a contiguous operation
//
// Chunks and pieces: core/pieces.h; bodies of few messages that need no handshake are cut into such (decision
// 0017). Elements of an accumulate are never cut: both are multiples of 16,
// messages hold whole segments. Made by op/remote for each operation; tested as a table.
#pragma once

#include <cstdint>

#include "core/operation.h"
#include "core/protocol.h"

namespace comex::op {

enum class PlanMethod : std::uint8_t {
  nothing,
  inline_message,
  header_then_body,
  packed_pipeline,
  inline_scatter,
  described_scatter,
  each_segment,
};

struct Sizes {
  std::uint32_t message_bytes = protocol::message_bytes;
  std::uint32_t reply_data_bytes = protocol::reply_data_bytes;
  std::uint32_t chunk_bytes = 256 * 1024;
  std::uint32_t piece_bytes = 256 * 1024;    // at most: of what the server has to stage
  std::uint32_t small_segment_bytes = 128;   // up to here segments travel inside the message
  std::uint32_t large_segment_bytes = 2048;  // from above here each segment is its own operation
  std::uint32_t eager_bytes = 0;  // of the longest message that the substrate sends unasked; 0: not known
};

// The chunk that settings ask for, made legal: a multiple of 16, from 4 KiB to 1 MiB.
std::uint32_t legal_chunk_bytes(std::uint64_t wanted);
// As the servers of a wire have them, on which there are so many origins.
Sizes sizes_on_wire(std::uint64_t wanted_chunk, TransportRank origins, std::uint64_t staging_reserve);

struct Plan {
  PlanMethod method = PlanMethod::nothing;
  // Verb, layout, scalar, flags, bytes and chunk_bytes of the first message; for scatters `bytes`
  // is filled message by message.
  protocol::RequestHeader header;
  std::uint64_t bytes = 0;  // of the whole operation, packed
  // Of its chunks where it must not be cut into messages that leave unasked.
  std::uint32_t rendezvous_chunk_bytes = 0;
  std::uint32_t descriptor_bytes =
      0;  // what follows the header, inline data excluded; scatters: without offsets
  std::uint32_t segments_per_message = 0;  // scatters
};

Plan make_plan(const Operation& operation, const Sizes& sizes);
// The plan of one segment of each_segment.
Plan plan_contiguous(Action action, Scalar scalar, std::uint64_t bytes, const Sizes& sizes,
                     bool has_signal = false);

// Does the data of a message with this many bytes travel in chunks?
inline bool has_body(const protocol::RequestHeader& header, const Sizes& sizes) {
  if (header.verb == protocol::Verb::get) return header.bytes > sizes.reply_data_bytes;
  return (header.flags & protocol::body_inline) == 0;
}

}  // namespace comex::op
