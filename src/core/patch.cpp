#include "core/patch.h"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace comex {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();

Failure too_large(const char* what) {
  return caller_error(std::string("strided rectangle: its ") + what + " does not fit into 63 bits");
}

Failure negative(const char* what, int level, std::int64_t value) {
  return caller_error("strided rectangle: " + std::string(what) + "[" + std::to_string(level) + "] is " +
                      std::to_string(value) + ", negative ones are not allowed");
}

// Adds (count - 1) * stride to the extent of one side.
bool grow(std::uint64_t& extent, std::uint64_t count, std::int64_t stride) {
  std::uint64_t span = 0;
  if (__builtin_mul_overflow(count - 1, static_cast<std::uint64_t>(stride), &span)) return false;
  return !__builtin_add_overflow(extent, span, &extent) && extent <= largest;
}

bool continues(std::uint64_t span, std::int64_t near_stride, std::int64_t far_stride) {
  return static_cast<std::uint64_t>(near_stride) == span && static_cast<std::uint64_t>(far_stride) == span;
}

// Appends a repeated level, or merges it into the level below if that leaves no gap.
void append(Patch& patch, std::uint64_t count, std::int64_t near_stride, std::int64_t far_stride) {
  if (patch.levels == 0 && continues(patch.counts[0], near_stride, far_stride)) {
    patch.counts[0] *= count;
    return;
  }
  if (patch.levels > 0) {
    const int below = patch.levels - 1;
    std::uint64_t& repeats = patch.counts[patch.levels];
    const std::uint64_t near_span = repeats * static_cast<std::uint64_t>(patch.near_strides[below]);
    const std::uint64_t far_span = repeats * static_cast<std::uint64_t>(patch.far_strides[below]);
    if (static_cast<std::uint64_t>(near_stride) == near_span &&
        static_cast<std::uint64_t>(far_stride) == far_span) {
      repeats *= count;
      return;
    }
  }
  patch.near_strides[patch.levels] = near_stride;
  patch.far_strides[patch.levels] = far_stride;
  patch.counts[++patch.levels] = count;
}

Failure bad_levels(int levels) {
  return caller_error("strided rectangle: " + std::to_string(levels) + " stride levels, allowed are 0 to " +
                      std::to_string(max_stride_levels));
}

template <class Stride, class Count>
Result<Patch> patch_of(int levels, const Stride* near_strides, const Stride* far_strides, const Count* counts,
                       unsigned element_bytes) {
  if (levels < 0 || levels > max_stride_levels) return bad_levels(levels);
  if (counts == nullptr) return caller_error("strided rectangle: count is a null pointer");
  if (levels > 0 && (near_strides == nullptr || far_strides == nullptr))
    return caller_error("strided rectangle: a stride array is a null pointer");
  Patch raw;
  raw.levels = levels;
  for (int level = 0; level <= levels; ++level) {
    if constexpr (std::is_signed_v<Count>) {
      if (counts[level] < 0) return negative("count", level, counts[level]);
    }
    raw.counts[level] = static_cast<std::uint64_t>(counts[level]);
  }
  for (int level = 0; level < levels; ++level) {
    raw.near_strides[level] = near_strides[level];
    raw.far_strides[level] = far_strides[level];
  }
  return normalised(raw, element_bytes);
}

}  // namespace

std::uint64_t Patch::runs() const {
  if (empty()) return 0;
  std::uint64_t product = 1;
  for (int level = 1; level <= levels; ++level) product *= counts[level];
  return product;
}

std::uint64_t Patch::total_bytes() const {
  return runs() * counts[0];
}

std::uint64_t Patch::extent_bytes(Side side) const {
  if (empty()) return 0;
  const std::int64_t* stride = strides(side);
  std::uint64_t extent = counts[0];
  for (int level = 0; level < levels; ++level)
    extent += (counts[level + 1] - 1) * static_cast<std::uint64_t>(stride[level]);
  return extent;
}

Result<Patch> make_patch(int levels, const int* near_strides, const int* far_strides, const int* counts,
                         unsigned element_bytes) {
  return patch_of(levels, near_strides, far_strides, counts, element_bytes);
}

Result<Patch> make_patch(int levels, const std::ptrdiff_t* near_strides, const std::ptrdiff_t* far_strides,
                         const std::size_t* counts, unsigned element_bytes) {
  return patch_of(levels, near_strides, far_strides, counts, element_bytes);
}

Result<Patch> normalised(const Patch& raw, unsigned element_bytes) {
  if (raw.levels < 0 || raw.levels > max_stride_levels) return bad_levels(raw.levels);
  Patch patch;
  if (std::find(raw.counts, raw.counts + raw.levels + 1, 0U) != raw.counts + raw.levels + 1) return patch;
  patch.counts[0] = raw.counts[0] - raw.counts[0] % element_bytes;
  if (patch.empty()) return patch;

  std::uint64_t total = patch.counts[0];
  std::uint64_t near_extent = total;
  std::uint64_t far_extent = total;
  if (total > largest) return too_large("size");
  for (int level = 0; level < raw.levels; ++level) {
    const std::uint64_t count = raw.counts[level + 1];
    if (count == 1) continue;
    const std::int64_t near_stride = raw.near_strides[level];
    const std::int64_t far_stride = raw.far_strides[level];
    if (near_stride < 0) return negative("origin-side stride", level, near_stride);
    if (far_stride < 0) return negative("target-side stride", level, far_stride);
    if (__builtin_mul_overflow(total, count, &total) || total > largest) return too_large("size");
    if (!grow(near_extent, count, near_stride)) return too_large("extent on the origin's side");
    if (!grow(far_extent, count, far_stride)) return too_large("extent on the target's side");
    append(patch, count, near_stride, far_stride);
  }
  return patch;
}

bool rows_overlap(const Patch& patch, Side side) {
  if (patch.total_bytes() > patch.extent_bytes(side)) return true;
  const auto run = static_cast<std::int64_t>(patch.run_bytes());
  const std::int64_t* const strides = patch.strides(side);
  return std::any_of(strides, strides + patch.levels, [run](std::int64_t stride) { return stride < run; });
}

Patch contiguous_patch(std::uint64_t bytes) {
  Patch patch;
  patch.counts[0] = bytes;
  return patch;
}

Rows RunCursor::peek_rows(std::uint64_t max_bytes) const {
  if (done() || max_bytes == 0) return {};
  const std::uint64_t run = patch_.counts[0];
  if (patch_.levels == 0 || in_run_ != 0 || max_bytes < run)
    return {at_.near() + in_run_, at_.far() + in_run_, std::min(run - in_run_, max_bytes), 1, 0, 0};
  const std::uint64_t left = patch_.counts[1] - at_.index(0);
  const std::uint64_t rows = left * run <= max_bytes ? left : max_bytes / run;
  return {at_.near(), at_.far(), run, rows, patch_.near_strides[0], patch_.far_strides[0]};
}

void RunCursor::advance(std::uint64_t bytes) {
  position_ += bytes;
  in_run_ += bytes;
  const std::uint64_t run = patch_.counts[0];
  if (patch_.levels == 0 || in_run_ < run) return;
  const std::uint64_t rows = in_run_ == run ? 1 : in_run_ / run;
  in_run_ -= rows * run;
  at_.step(patch_, 0, rows);
}

void RunCursor::seek(std::uint64_t position) {
  COMEX_BUG_IF(position > total_);
  position_ = position;
  at_ = StrideIndex();
  in_run_ = 0;
  if (patch_.empty()) return;
  if (patch_.levels == 0) {
    in_run_ = position;
    return;
  }
  std::uint64_t rows = position / patch_.counts[0];
  in_run_ = position % patch_.counts[0];
  for (int level = 0; level < patch_.levels; ++level) {
    at_.step(patch_, level, rows % patch_.counts[level + 1]);
    rows /= patch_.counts[level + 1];
  }
}

bool is_packed(const Patch& patch, Side side) {
  const std::int64_t* const strides = patch.strides(side);
  std::uint64_t reach = patch.counts[0];
  for (int level = 0; level < patch.levels; ++level) {
    if (strides[level] != static_cast<std::int64_t>(reach)) return false;
    reach *= patch.counts[level + 1];
  }
  return true;
}

}  // namespace comex
