// Walks the origin's memory of one transfer in packed order, be it contiguous, strided or scattered.
//
// It is a value with its own position; the memory and the address arrays of a scatter must stay in place.
// Contiguous memory needs no staging. op/remote uses it for every body and every reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "core/patch.h"
#include "core/scatter.h"

namespace comex::op {

namespace detail {

struct NearBytes {
  std::byte* first = nullptr;
  std::uint64_t position = 0;
};
struct NearStrided {
  std::byte* first = nullptr;
  RunCursor cursor;
};

}  // namespace detail

class NearSide {
 public:
  NearSide() = default;
  static NearSide of_bytes(std::byte* first) { return NearSide(Bytes{first, 0}); }
  static NearSide of_patch(std::byte* first, const Patch& patch) {
    return NearSide(Strided{first, RunCursor(patch)});
  }
  static NearSide of_scatter(const Scatter& scatter) { return NearSide(SegmentCursor(scatter)); }

  // Returns the next byte of contiguous memory, or null for other memory.
  std::byte* contiguous() const;
  // Moves on over contiguous memory without touching it.
  void skip(std::uint64_t bytes);

  void gather(std::byte* packed, std::uint64_t bytes);         // memory -> packed
  void scatter(const std::byte* packed, std::uint64_t bytes);  // packed -> memory

 private:
  using Bytes = detail::NearBytes;
  using Strided = detail::NearStrided;
  using Memory = std::variant<Bytes, Strided, SegmentCursor>;
  explicit NearSide(Memory memory) : memory_(std::move(memory)) {}

  Memory memory_;
};

}  // namespace comex::op
