// Where remote memory is, in words that every runtime understands: a worker, a segment and an offset.
//
// A Segment is one collective allocation. `at` holds an address a worker, as far as the runtime gives one;
// runtimes that know windows and displacements instead use `id` and `offset`. Rows make Places, runtimes take
// them.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

struct Place {
  int proc = 0;
  int segment = 0;
  std::size_t offset = 0;
  std::byte* at = nullptr;
};

struct Segment {
  int id = 0;
  std::vector<std::byte*> at;

  Place place(int proc, std::size_t offset) const {
    std::byte* const base = at[static_cast<std::size_t>(proc)];
    return {proc, id, offset, base == nullptr ? nullptr : base + offset};
  }
};

// A strided block: rows of count[0] bytes, count[1] of them in a plane, count[2] planes. Packed on the near
// side.
struct Shape {
  const char* name;
  int levels;
  int count[3];
  int near_stride[2];
  int far_stride[2];

  int rows() const { return count[1] * (levels == 2 ? count[2] : 1); }
  int bytes() const { return count[0] * rows(); }
  std::size_t far_row(int row) const {
    return static_cast<std::size_t>(row % count[1]) * static_cast<std::size_t>(far_stride[0]) +
           (levels == 2 ? static_cast<std::size_t>(row / count[1]) * static_cast<std::size_t>(far_stride[1])
                        : 0);
  }
};

// Elements of 8 bytes, packed on the near side and scattered over one worker's memory. The address arrays are
// made beforehand, as a program that transfers the same elements again would have them.
struct Scatter {
  Place base;
  std::vector<int> offsets;
  std::vector<void*> near;
  std::vector<void*> far;
};

}  // namespace bench
