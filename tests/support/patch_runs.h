// The runs of a patch one by one, for tests that compare them with a definition.
#pragma once

#include <cstdint>

#include "core/patch.h"

namespace comex {

// Calls f(near_offset, far_offset, bytes) for every run, in packed order.
template <class F>
void for_each_run(const Patch& patch, F&& f) {
  for_each_rows(patch, [&f](const Rows& rows) {
    std::uint64_t near = rows.near_offset;
    std::uint64_t far = rows.far_offset;
    for (std::uint64_t row = 0; row < rows.count; ++row) {
      f(near, far, rows.bytes);
      near += static_cast<std::uint64_t>(rows.near_stride);
      far += static_cast<std::uint64_t>(rows.far_stride);
    }
  });
}

}  // namespace comex
