// How large the pieces of a body are that a server has to stage: accumulates, and what is not contiguous at
// its target; and how long messages are beside them.
//
// Pure, and known at both ends of a wire: a server keeps room for one piece of every origin, so that nobody
// waits for another's body, and pieces shrink as origins become many. The least piece needs no room of its
// own: it lies beside its message in the copy of it that the origin has anyway. Where pieces are that small,
// messages are shorter too, so that all that a server keeps of an origin stays below 4 KiB. Everything else
// travels in chunks, straight from or to the memory it is about.
// Used by op/plan and pr/server.
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

// A whole chunk as long as one for every origin fits into the reserve, then the largest power of two that
// does. Whole elements always.
constexpr std::uint32_t piece_bytes(std::uint32_t chunk_bytes, std::uint64_t origins,
                                    std::uint64_t reserve_bytes) {
  const std::uint64_t share = reserve_bytes / std::max<std::uint64_t>(origins, 1);
  if (share >= chunk_bytes) return chunk_bytes;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(std::bit_floor(share), smallest_piece));
}

constexpr bool lies_in_copy(std::uint32_t piece) {
  return piece <= smallest_piece;
}

// Bytes of the longest message on a wire with such pieces.
constexpr std::uint32_t message_limit(std::uint32_t piece) {
  return lies_in_copy(piece) ? short_message : static_cast<std::uint32_t>(protocol::message_bytes);
}

}  // namespace comex
