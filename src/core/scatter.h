// The descriptor of a vector operation: pairs of addresses, with one segment size for all of them.
//
// The caller owns the address arrays; a Scatter only refers to them. Validation (op, calls) makes it. The
// direct path and the remote method for vectors walk it, whole or in parts.
#pragma once

#include <cstdint>

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

  // Returns the segments first..first+n-1 as a scatter.
  Scatter part(std::uint64_t first, std::uint64_t n) const { return {near + first, far + first, n, bytes}; }
};

// Checks the caller's arguments: negative numbers, missing arrays, null segments, overflow. With
// element_bytes > 1 (accumulate) it cuts each segment to whole elements. For an empty scatter it reads no
// array.
Result<Scatter> make_scatter(void* const* near, void* const* far, std::int64_t count, std::int64_t bytes,
                             unsigned element_bytes = 1);

}  // namespace comex
