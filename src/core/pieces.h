// Decides how large the pieces are in which a server stages a body, and how long messages may then be.
//
// Accumulates and targets that are not contiguous need staging; everything else travels in chunks, straight
// from or to its memory. Both ends of a wire compute the same sizes. A server keeps memory for one piece of
// every origin, so no origin waits for another's body, and pieces shrink as origins become many. The least
// piece needs no memory of its own: it lies in the origin's copy of its message. Messages are then shorter
// too, so that a server keeps less than 4 KiB for an origin. Used by op and pr/server.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/protocol.h"

namespace comex {

inline constexpr std::uint32_t smallest_piece = 2048;
inline constexpr std::uint32_t short_message = 2432;
inline constexpr std::uint64_t default_staging_reserve = std::uint64_t{256}
                                                         << 20;  // up to 1,024 whole chunks

// Returns a whole chunk if one for every origin fits into the reserve, else the largest power of two that
// fits. The result always holds whole elements.
constexpr std::uint32_t piece_bytes(std::uint32_t chunk_bytes, std::uint64_t origins,
                                    std::uint64_t reserve_bytes) {
  const std::uint64_t share = reserve_bytes / std::max<std::uint64_t>(origins, 1);
  if (share >= chunk_bytes) return chunk_bytes;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(std::bit_floor(share), smallest_piece));
}

constexpr bool fits_in_message_copy(std::uint32_t piece) {
  return piece <= smallest_piece;
}

// The length in bytes of the longest message on a wire whose pieces have this size.
constexpr std::uint32_t message_limit(std::uint32_t piece) {
  return fits_in_message_copy(piece) ? short_message : static_cast<std::uint32_t>(protocol::message_bytes);
}

// Whether the data of a request travels beside its message, in chunks.
inline bool has_chunks(const protocol::RequestHeader& header) {
  using protocol::Verb;
  if (header.verb == Verb::get) return header.bytes > protocol::reply_data_bytes;
  const bool is_bulk = header.verb == Verb::put || header.verb == Verb::acc;
  return is_bulk && header.bytes != 0 && (header.flags & protocol::body_inline) == 0;
}

}  // namespace comex
