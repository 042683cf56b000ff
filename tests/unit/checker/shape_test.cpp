// Whether two strided accesses share a byte, against all their bytes.
#include "checker/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <vector>

namespace comex::checker {
namespace {

std::set<std::uint64_t> bytes_of(const Region& region) {
  std::set<std::uint64_t> found;
  for_each_run(region.shape, region.begin, [&](std::uint64_t first, std::uint64_t bytes) {
    for (std::uint64_t i = 0; i < bytes; ++i) found.insert(first + i);
  });
  return found;
}

Region region(std::uint64_t begin, std::vector<std::uint64_t> counts, std::vector<std::int64_t> strides) {
  Region made{.begin = begin, .shape = {}};
  made.shape.levels = static_cast<int>(strides.size());
  std::ranges::copy(counts, std::begin(made.shape.counts));
  std::ranges::copy(strides, std::begin(made.shape.far_strides));
  std::ranges::copy(strides, std::begin(made.shape.near_strides));
  return made;
}

TEST(Shape, shares_the_first_byte_that_both_touch) {
  const std::vector<Region> shapes{region(0, {5}, {}),           region(0, {2, 4}, {7}),
                                   region(0, {3, 3}, {3}),       region(0, {1, 3, 2}, {4, 17}),
                                   region(0, {2, 2, 3}, {5, 9}), region(0, {1, 2, 2, 2}, {2, 6, 20})};
  int apart = 0;
  int together = 0;
  for (const Region& a : shapes) {
    for (Region b : shapes) {
      for (std::uint64_t shift = 0; shift < 48; ++shift) {
        b.begin = shift;
        const std::set<std::uint64_t> of_a = bytes_of(a);
        const std::set<std::uint64_t> of_b = bytes_of(b);
        std::vector<std::uint64_t> both;
        std::ranges::set_intersection(of_a, of_b, std::back_inserter(both));
        const auto found = common_byte(a, b);
        ASSERT_EQ(found.has_value(), !both.empty()) << "shifted by " << shift;
        if (found) {
          EXPECT_TRUE(std::ranges::binary_search(both, *found)) << "shifted by " << shift;
        }
        ++(found ? together : apart);
      }
    }
  }
  EXPECT_GT(apart, 100);
  EXPECT_GT(together, 100);
}

}  // namespace
}  // namespace comex::checker
