// A strided rectangle as both sides see it, in normalised form, and the only stride walk in the tree.
//
// `near` is the origin's memory, `far` the target's; source and destination swap between put and get. A patch
// from make_patch has only levels that matter: a contiguous rectangle has levels 0, an empty one has
// counts[0] == 0, and no sum or product of its numbers overflows. Validation (op, calls) makes patches; the
// copy loops, the kernels and the server walk them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/status.h"

namespace comex {

inline constexpr int max_stride_levels = 8;

enum class Side : std::uint8_t { near, far };

struct Patch {
  int levels = 0;
  std::uint64_t counts[max_stride_levels + 1] = {};  // [0]: bytes of a run; the others: repetitions
  std::int64_t near_strides[max_stride_levels] = {};
  std::int64_t far_strides[max_stride_levels] = {};

  bool empty() const { return counts[0] == 0; }
  bool contiguous() const { return levels == 0; }
  std::uint64_t run_bytes() const { return counts[0]; }
  std::uint64_t runs() const;         // 0 when empty
  std::uint64_t total_bytes() const;  // runs() * run_bytes()
  const std::int64_t* strides(Side side) const { return side == Side::near ? near_strides : far_strides; }
  std::uint64_t extent_bytes(Side side) const;  // distance from the first byte touched to one past the last
  std::uint64_t far_extent_bytes() const { return extent_bytes(Side::far); }
};

// Checks and normalises the caller's arguments. It ignores strides of levels whose count is 1. With
// element_bytes > 1 (accumulate) it cuts each run to whole elements, as the interface defines.
Result<Patch> make_patch(int levels, const int* near_strides, const int* far_strides, const int* counts,
                         unsigned element_bytes = 1);
Result<Patch> make_patch(int levels, const std::ptrdiff_t* near_strides, const std::ptrdiff_t* far_strides,
                         const std::size_t* counts, unsigned element_bytes = 1);

// The same for 64-bit numbers. The server checks with it what it received.
Result<Patch> normalised(const Patch& raw, unsigned element_bytes = 1);

// One run of `bytes`, the contiguous case.
Patch contiguous_patch(std::uint64_t bytes);

// True if two runs of this side share a byte because a stride is shorter than a run, or because the runs have
// more bytes than they span. Other overlaps, of strides that do not nest, are not found.
bool rows_overlap(const Patch& patch, Side side);

// True if the runs of this side follow each other in order and without gaps.
bool is_packed(const Patch& patch, Side side);

// `count` equal runs at even distances: the innermost repeated level of a patch, or a part of it.
struct Rows {
  std::uint64_t near_offset = 0;
  std::uint64_t far_offset = 0;
  std::uint64_t bytes = 0;  // of one row
  std::uint64_t count = 0;
  std::int64_t near_stride = 0;
  std::int64_t far_stride = 0;

  std::uint64_t total_bytes() const { return bytes * count; }
};

// Counts through the levels of a patch. Only this class implements the carry from level to level.
class StrideIndex {
 public:
  // Advances by `steps` at `level`, with carry. `steps` must not exceed what is left of that level. Returns
  // false at the end.
  bool step(const Patch& patch, int level, std::uint64_t steps = 1) {
    for (; level < patch.levels; ++level, steps = 1) {
      std::uint64_t& index = index_[level];
      index += steps;
      near_ += steps * static_cast<std::uint64_t>(patch.near_strides[level]);
      far_ += steps * static_cast<std::uint64_t>(patch.far_strides[level]);
      const std::uint64_t count = patch.counts[level + 1];
      if (index < count) return true;
      near_ -= count * static_cast<std::uint64_t>(patch.near_strides[level]);
      far_ -= count * static_cast<std::uint64_t>(patch.far_strides[level]);
      index = 0;
    }
    return false;
  }
  std::uint64_t index(int level) const { return index_[level]; }
  std::uint64_t near() const { return near_; }
  std::uint64_t far() const { return far_; }

 private:
  std::uint64_t index_[max_stride_levels] = {};
  std::uint64_t near_ = 0;
  std::uint64_t far_ = 0;
};

// Calls f(const Rows&) for every group of rows, in packed order.
template <class F>
void for_each_rows(const Patch& patch, F&& f) {
  if (patch.empty()) return;
  if (patch.levels == 0) {
    f(Rows{0, 0, patch.counts[0], 1, 0, 0});
    return;
  }
  StrideIndex at;
  do {
    f(Rows{at.near(), at.far(), patch.counts[0], patch.counts[1], patch.near_strides[0],
           patch.far_strides[0]});
  } while (at.step(patch, 1));
}

// Calls f(far offset, bytes) for every run of the far side.
template <class F>
void for_each_far_run(const Patch& patch, F&& f) {
  for_each_rows(patch, [&](const Rows& rows) {
    for (std::uint64_t row = 0; row < rows.count; ++row) {
      f(rows.far_offset + row * static_cast<std::uint64_t>(rows.far_stride), rows.bytes);
    }
  });
}

// Walks a patch in pieces that may be cut at any packed byte. It keeps its own copy of the patch.
class RunCursor {
 public:
  RunCursor() = default;
  explicit RunCursor(const Patch& patch) : patch_(patch), total_(patch.total_bytes()) {}

  std::uint64_t position() const { return position_; }  // packed bytes already passed
  bool done() const { return position_ == total_; }

  // Returns as many whole rows of one level as fit max_bytes, or else a part of one row.
  Rows next_rows(std::uint64_t max_bytes) {
    const Rows rows = peek_rows(max_bytes);
    advance(rows.total_bytes());
    return rows;
  }

  Rows peek_rows(std::uint64_t max_bytes) const;
  void advance(std::uint64_t bytes);  // at most the bytes that the last peek_rows returned
  void seek(std::uint64_t position);

 private:
  Patch patch_;
  std::uint64_t total_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t in_run_ = 0;  // bytes of the current run already passed
  StrideIndex at_;
};

}  // namespace comex
