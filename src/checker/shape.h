// The bytes of a strided access on one side, and whether two of them share a byte.
#pragma once

#include <cstdint>
#include <optional>

#include "core/patch.h"

namespace comex::checker {

// A patch whose strides are those of one side on both sides.
Patch one_side(const Patch& patch, Side side);

// Calls f(address, bytes) for every run of the far side.
template <class F>
void for_each_run(const Patch& shape, std::uint64_t begin, F&& f) {
  for_each_rows(shape, [&](const Rows& rows) {
    for (std::uint64_t i = 0; i < rows.count; ++i)
      f(begin + rows.far_offset + i * static_cast<std::uint64_t>(rows.far_stride), rows.bytes);
  });
}

struct Region {
  std::uint64_t begin = 0;
  Patch shape;  // the far side counts
  std::uint64_t end() const { return begin + shape.far_extent_bytes(); }
};

// The first byte that both have.
std::optional<std::uint64_t> common_byte(const Region& a, const Region& b);

}  // namespace comex::checker
