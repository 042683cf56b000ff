// Takes a request message apart and checks it: header, scale, layout and inline body.
//
// The functions are pure and trust no byte: the result is either consistent or malformed. It points into the
// message, which must stay in place. Bounds against extents are checked when the request starts. The server
// reads every message here, and queued ones once more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "core/patch.h"
#include "core/protocol.h"
#include "core/scalar.h"
#include "kernels/packed_side.h"
#include "pr/order.h"

namespace comex::pr {

struct Payload {
  protocol::Refusal refusal = protocol::Refusal::none;  // for a malformed message
  Scale scale{};                                        // acc
  Patch patch{};                                        // contiguous and strided; empty for vector
  const std::byte* offsets = nullptr;                   // vector: unaligned 64-bit arena offsets
  std::uint32_t segments = 0;
  std::uint32_t segment_bytes = 0;
  const std::byte* body = nullptr;        // inline data
  std::uint64_t desired = 0;              // compare_swap
  std::optional<std::uint64_t> signal{};  // put with a signal: where its word is in the arena
  Footprint touches;

  std::uint64_t offset_of_segment(std::uint64_t index) const {
    std::uint64_t offset = 0;
    std::memcpy(&offset, offsets + index * sizeof offset, sizeof offset);
    return offset;
  }
};

struct WireLimits {
  std::uint32_t chunk_bytes = 0;  // the largest that the server takes
  std::uint32_t piece_bytes = 0;  // the largest that it stages
};

// `message` begins with `header` (already copied out of it).
Payload read_payload(const protocol::RequestHeader& header, std::span<const std::byte> message,
                     const WireLimits& limits);

// The target's memory of a put, get or accumulate whose bounds were checked.
inline kernels::PackedSide far_side(const Payload& payload, std::byte* arena_base) {
  if (payload.offsets != nullptr)
    return kernels::PackedSide::of_segments(arena_base, payload.offsets, payload.segment_bytes);
  return kernels::PackedSide::of_patch(arena_base, payload.touches.low, payload.patch, Side::far);
}

// Whether the body cannot move straight from or to the memory of the target.
inline bool needs_staging(const protocol::RequestHeader& header, const Payload& payload) {
  return header.verb == protocol::Verb::acc || payload.offsets != nullptr || !payload.patch.contiguous();
}

// Whether the chunks can be counted. If they can, the body of a malformed request is drained.
inline bool has_chunk_size(const protocol::RequestHeader& header, const WireLimits& limits) {
  return header.chunk_bytes != 0 && header.chunk_bytes <= limits.chunk_bytes && header.slot != 0 &&
         header.slot < protocol::slot_count;
}

}  // namespace comex::pr
