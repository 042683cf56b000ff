// Decides whether one side of a patch touches a byte twice.
//
// Runs start at sums k_i * s_i, 0 <= k_i < n_i. Two runs of c bytes share a byte exactly when there are
// differences d_i, not all zero, with |d_i| < n_i and |sum d_i * s_i| < c. A level that steps over all others
// together cannot cause an overlap, which alone decides strides that nest. For the remaining levels, it lists
// the sums of some (or computes them, if it is one level) and looks up each sum of the others in that list.
// For D differences that takes at most D^(2/3) look-ups and a list of D^(1/2), far less than the number of
// runs.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/patch.h"

namespace comex {
namespace {

struct Dimension {
  std::int64_t stride = 0;
  std::int64_t count = 0;

  std::int64_t most() const { return count - 1; }  // the largest difference
  std::int64_t reach() const { return most() * stride; }
  std::uint64_t differences() const { return 2 * static_cast<std::uint64_t>(count) - 1; }
};

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// A small set of dimensions with non-zero strides, kept without heap memory.
class Dimensions {
 public:
  void insert(const Dimension& dimension) {  // keeps them ordered by falling stride
    int at = size_++;
    for (; at > 0 && each_[at - 1].stride < dimension.stride; --at) each_[at] = each_[at - 1];
    each_[at] = dimension;
  }
  std::span<const Dimension> all() const { return {each_, static_cast<std::size_t>(size_)}; }
  std::int64_t reach() const {
    std::int64_t sum = 0;
    for (const Dimension& dimension : all()) sum += dimension.reach();
    return sum;
  }

 private:
  Dimension each_[max_stride_levels];
  int size_ = 0;
};

// The set of all sums that the differences of some dimensions can make.
class Sums {
 public:
  Sums(std::span<const Dimension> dimensions, std::int64_t run) : run_(run) {
    if (dimensions.size() == 1) {
      only_ = dimensions[0];
      return;
    }
    listed_ = {0};
    for (const Dimension& dimension : dimensions) {
      const std::size_t before = listed_.size();
      for (std::int64_t d = 1; d <= dimension.most(); ++d) {
        for (std::size_t i = 0; i < before; ++i) {
          listed_.push_back(listed_[i] + d * dimension.stride);
          listed_.push_back(listed_[i] - d * dimension.stride);
        }
      }
    }
    std::sort(listed_.begin(), listed_.end());
  }

  // True if there is a sum with |x + sum| < run.
  bool comes_near(std::int64_t x) const {
    if (listed_.empty()) {
      const std::int64_t low = -floor_div(x + run_ - 1, only_.stride);
      return std::max(low, -only_.most()) <= std::min(floor_div(run_ - 1 - x, only_.stride), only_.most());
    }
    const auto at = std::lower_bound(listed_.begin(), listed_.end(), 1 - run_ - x);
    return at != listed_.end() && *at < run_ - x;
  }
  // True if there is a sum of differences, not all zero, with |sum| < run.
  bool comes_near_itself() const {
    if (listed_.empty()) return only_.stride < run_;
    const auto at = std::lower_bound(listed_.begin(), listed_.end(), 1 - run_);
    return at + 1 != listed_.end() && at[1] < run_;
  }

 private:
  std::int64_t run_;
  Dimension only_;
  std::vector<std::int64_t> listed_;
};

// Tries the sums of the outer dimensions, as long as the remaining ones can still compensate for them.
class Search {
 public:
  Search(std::span<const Dimension> outer, const Dimensions& inner, std::int64_t run)
      : outer_(outer), inner_(inner.all(), run) {
    std::int64_t reach = inner.reach() + run - 1;
    for (std::size_t i = outer.size(); i-- > 0; reach += outer[i].reach()) rest_reach_[i] = reach;
  }

  // True if `partial`, the sum over the dimensions before i, can be completed to |sum| < run.
  bool finds(std::size_t i = 0, std::int64_t partial = 0, bool all_zero = true) const {
    if (i == outer_.size()) return all_zero ? inner_.comes_near_itself() : inner_.comes_near(partial);
    const Dimension& dimension = outer_[i];
    // By symmetry the first difference that is not zero is positive.
    std::int64_t low = all_zero ? 0 : -dimension.most();
    low = std::max(low, -floor_div(partial + rest_reach_[i], dimension.stride));
    const std::int64_t high =
        std::min(dimension.most(), floor_div(rest_reach_[i] - partial, dimension.stride));
    for (std::int64_t d = low; d <= high; ++d)
      if (finds(i + 1, partial + d * dimension.stride, all_zero && d == 0)) return true;
    return false;
  }

 private:
  std::span<const Dimension> outer_;
  Sums inner_;
  std::int64_t rest_reach_[max_stride_levels] = {};
};

// Chooses the dimensions whose sums are listed, as bits. The choice leaves the fewest outer sums to try. The
// list is never longer than the number of these; a single dimension needs no list.
unsigned choose_inner(std::span<const Dimension> dimensions) {
  unsigned best = 0;
  std::uint64_t fewest = UINT64_MAX;
  for (unsigned bits = 1; bits < 1U << dimensions.size(); ++bits) {
    std::uint64_t inside = 1;
    std::uint64_t outside = 1;
    for (std::size_t i = 0; i < dimensions.size(); ++i)
      ((bits >> i & 1) != 0 ? inside : outside) *= dimensions[i].differences();
    if (outside >= fewest || (inside > outside && std::popcount(bits) != 1)) continue;
    fewest = outside;
    best = bits;
  }
  return best;
}

bool runs_intersect(std::span<const Dimension> dimensions, std::int64_t run) {
  const unsigned bits = choose_inner(dimensions);
  Dimensions inner;
  Dimensions outer;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    ((bits >> i & 1) != 0 ? inner : outer).insert(dimensions[i]);
  return Search(outer.all(), inner, run).finds();
}

}  // namespace

bool rows_overlap(const Patch& patch, Side side) {
  if (patch.empty() || patch.contiguous()) return false;
  const std::uint64_t extent = patch.extent_bytes(side);
  if (patch.total_bytes() > extent) return true;

  Dimensions dimensions;
  const std::int64_t* strides = patch.strides(side);
  for (int level = 0; level < patch.levels; ++level) {
    if (strides[level] == 0) return true;
    dimensions.insert({strides[level], static_cast<std::int64_t>(patch.counts[level + 1])});
  }

  // If the outermost dimension steps over all others together, it cannot cause an overlap.
  const auto run = static_cast<std::int64_t>(patch.run_bytes());
  auto reach = static_cast<std::int64_t>(extent);
  std::span<const Dimension> rest = dimensions.all();
  for (; !rest.empty(); rest = rest.subspan(1)) {
    reach -= rest[0].reach();
    if (rest[0].stride < reach) break;
  }
  if (rest.empty()) return false;
  if (extent > largest_extent || patch.runs() > most_interleaved_runs) return false;
  return runs_intersect(rest, run);
}

}  // namespace comex
