// Whether a side of a patch touches a byte twice.
//
// Runs start at sums k_i * s_i, 0 <= k_i < n_i. Two runs of c bytes share a byte exactly when there
// are differences d_i, not all zero, |d_i| < n_i, with |sum d_i * s_i| < c. Sorted by stride, sides
// that nest are decided by one pass; the rest by a search over d that drops hopeless branches.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "core/patch.h"

namespace comex {
namespace {

constexpr long search_steps = 1 << 20;  // some 10 ms; then "not shown to overlap"

struct Dimension {
  std::int64_t stride;
  std::int64_t count;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

class DifferenceSearch {
 public:
  // Dimensions by falling stride, none zero.
  DifferenceSearch(const Dimension* dimensions, int size, std::int64_t run)
      : dimensions_(dimensions), size_(size), run_(run) {
    std::int64_t reach = run - 1;
    std::int64_t divisor = 0;
    for (int i = size - 1; i >= 0; --i) {
      rest_reach_[i] = reach;
      rest_divisor_[i] = divisor;
      reach += (dimensions[i].count - 1) * dimensions[i].stride;
      divisor = std::gcd(divisor, dimensions[i].stride);
    }
  }

  // Is there a completion of `partial`, the sum over the dimensions before i, to |sum| < run?
  bool finds(int i, std::int64_t partial, bool all_zero) {
    if (--steps_left_ < 0) return false;
    const Dimension& dimension = dimensions_[i];
    const std::int64_t most = dimension.count - 1;
    // By symmetry the first difference that is not zero is positive.
    std::int64_t low = all_zero ? 0 : -most;
    low = std::max(low, -floor_div(partial + rest_reach_[i], dimension.stride));
    const std::int64_t high = std::min(most, floor_div(rest_reach_[i] - partial, dimension.stride));
    if (i == size_ - 1) return high >= (all_zero ? std::max<std::int64_t>(low, 1) : low);
    for (std::int64_t d = low; d <= high; ++d) {
      const std::int64_t sum = partial + d * dimension.stride;
      if (reachable(i, sum) && finds(i + 1, sum, all_zero && d == 0)) return true;
      if (steps_left_ < 0) return false;
    }
    return false;
  }

 private:
  // What follows moves the sum by multiples of its common divisor only.
  bool reachable(int i, std::int64_t sum) {
    --steps_left_;
    const std::int64_t beyond = std::abs(sum) % rest_divisor_[i];
    return beyond < run_ || rest_divisor_[i] - beyond < run_;
  }

  const Dimension* dimensions_;
  int size_;
  std::int64_t run_;
  std::int64_t rest_reach_[max_stride_levels] = {};
  std::int64_t rest_divisor_[max_stride_levels] = {};
  long steps_left_ = search_steps;
};

}  // namespace

bool rows_overlap(const Patch& patch, Side side) {
  if (patch.empty() || patch.contiguous()) return false;
  const std::uint64_t extent = patch.extent_bytes(side);
  if (patch.total_bytes() > extent) return true;

  Dimension dimensions[max_stride_levels] = {};  // by falling stride
  const std::int64_t* strides = patch.strides(side);
  int size = 0;
  for (; size < patch.levels; ++size) {
    if (strides[size] == 0) return true;
    int at = size;
    for (; at > 0 && dimensions[at - 1].stride < strides[size]; --at) dimensions[at] = dimensions[at - 1];
    dimensions[at] = {strides[size], static_cast<std::int64_t>(patch.counts[size + 1])};
  }

  // The outermost dimension that steps over all the others together cannot make them meet.
  const auto run = static_cast<std::int64_t>(patch.run_bytes());
  auto reach = static_cast<std::int64_t>(extent);
  const Dimension* first = dimensions;
  for (; size > 0; ++first, --size) {
    reach -= (first->count - 1) * first->stride;
    if (first->stride < reach) break;
  }
  if (size == 0) return false;
  if (extent > std::uint64_t{1} << 61) return false;  // sums could overflow; no memory is that large
  return DifferenceSearch(first, size, run).finds(0, 0, true);
}

}  // namespace comex
