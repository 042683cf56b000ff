#include "checker/shape.h"

#include <algorithm>

namespace comex::checker {
namespace {

// The first byte of [from, to) that the levels up to `level` of a shape at `begin` touch.
std::optional<std::uint64_t> touched(const Patch& shape, int level, std::uint64_t begin, std::uint64_t from,
                                     std::uint64_t to) {
  if (level == 0) {
    const std::uint64_t first = std::max(begin, from);
    return first < std::min(begin + shape.counts[0], to) ? std::optional(first) : std::nullopt;
  }
  std::uint64_t extent = shape.counts[0];
  for (int below = 0; below + 1 < level; ++below)
    extent += (shape.counts[below + 1] - 1) * static_cast<std::uint64_t>(shape.far_strides[below]);
  const auto stride = static_cast<std::uint64_t>(shape.far_strides[level - 1]);
  const std::uint64_t count = shape.counts[level];
  // The repetitions before `first` end before the range.
  std::uint64_t first = 0;
  if (stride > 0 && from > begin + extent) first = std::min((from - begin - extent) / stride, count);
  for (std::uint64_t i = first; i < count && begin + i * stride < to; ++i) {
    if (const auto byte = touched(shape, level - 1, begin + i * stride, from, to)) return byte;
    if (stride == 0) break;
  }
  return std::nullopt;
}

}  // namespace

Patch one_side(const Patch& patch, Side side) {
  Patch shape = patch;
  std::copy_n(patch.strides(side), max_stride_levels, shape.near_strides);
  std::copy_n(patch.strides(side), max_stride_levels, shape.far_strides);
  return shape;
}

std::optional<std::uint64_t> common_byte(const Region& a, const Region& b) {
  if (a.shape.empty() || b.shape.empty() || a.begin >= b.end() || b.begin >= a.end()) return std::nullopt;
  const bool a_has_fewer = a.shape.runs() <= b.shape.runs();
  const Region& few = a_has_fewer ? a : b;
  const Region& many = a_has_fewer ? b : a;
  std::optional<std::uint64_t> found;
  for_each_run(few.shape, few.begin, [&](std::uint64_t at, std::uint64_t bytes) {
    if (!found) found = touched(many.shape, many.shape.levels, many.begin, at, at + bytes);
  });
  return found;
}

}  // namespace comex::checker
