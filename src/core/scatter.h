// A vector operation's descriptor: pairs of addresses, one segment size for all of them.
//
// The address arrays stay the caller's; a Scatter only looks at them. Validation (op, api) makes
// it, the direct path and the described-scatter method walk it, whole or in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/patch.h"
#include "core/status.h"

namespace comex {

struct Scatter {
  void* const* near = nullptr;
  void* const* far = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  // of each segment

  bool empty() const { return count == 0 || bytes == 0; }
  std::uint64_t total_bytes() const { return count * bytes; }
  void* const* addresses(Side side) const { return side == Side::near ? near : far; }

  // Segments first..first+n-1 as a scatter of their own.
  Scatter part(std::uint64_t first, std::uint64_t n) const { return {near + first, far + first, n, bytes}; }
};

// Checks what the caller passed: negative numbers, missing arrays, null segments, overflow. With
// element_bytes > 1 (accumulate) each segment is cut to whole elements. An empty one looks at nothing.
Result<Scatter> make_scatter(void* const* near, void* const* far, int count, int bytes,
                             unsigned element_bytes = 1);

struct Segment {
  std::byte* near = nullptr;
  std::byte* far = nullptr;
  std::uint64_t bytes = 0;
};

// Walks a scatter in pieces cut anywhere in its packed bytes.
class SegmentCursor {
 public:
  SegmentCursor() = default;
  explicit SegmentCursor(const Scatter& scatter) : scatter_(scatter) {}

  std::uint64_t position() const { return index_ * scatter_.bytes + in_segment_; }
  bool done() const { return scatter_.bytes == 0 || index_ == scatter_.count; }

  // The next segment, or the part of it that max_bytes leaves; 0 bytes only at the end or for max 0.
  Segment next(std::uint64_t max_bytes) {
    const Segment segment = peek(max_bytes);
    advance(segment.bytes);
    return segment;
  }
  Segment peek(std::uint64_t max_bytes) const;
  void advance(std::uint64_t bytes);  // at most what peek just showed

 private:
  Scatter scatter_;
  std::uint64_t index_ = 0;
  std::uint64_t in_segment_ = 0;
};

}  // namespace comex
