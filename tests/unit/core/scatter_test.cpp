#include "core/scatter.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace comex {
namespace {

class ScatterTest : public ::testing::Test {
 protected:
  std::vector<void*> at(std::initializer_list<int> offsets) {
    std::vector<void*> addresses;
    for (const int offset : offsets) addresses.push_back(memory_.data() + offset);
    return addresses;
  }
  std::array<std::byte, 4096> memory_ = {};
};

using Scatters = ScatterTest;

TEST_F(Scatters, refuse_negative_numbers_and_null_pointers) {
  std::vector<void*> good = at({0, 8});
  std::vector<void*> bad = {good[0], nullptr};
  EXPECT_TRUE(make_scatter(good.data(), good.data(), 2, 8));
  EXPECT_FALSE(make_scatter(good.data(), good.data(), -1, 8));
  EXPECT_FALSE(make_scatter(good.data(), good.data(), 2, -8));
  EXPECT_FALSE(make_scatter(nullptr, good.data(), 2, 8));
  EXPECT_FALSE(make_scatter(good.data(), nullptr, 2, 8));
  EXPECT_NE(make_scatter(bad.data(), good.data(), 2, 8).failure().text.find("origin-side segment 1"),
            std::string::npos);
  EXPECT_NE(make_scatter(good.data(), bad.data(), 2, 8).failure().text.find("target-side segment 1"),
            std::string::npos);
}

TEST_F(Scatters, of_nothing_look_at_no_address) {
  EXPECT_TRUE(make_scatter(nullptr, nullptr, 0, 8)->empty());
  EXPECT_TRUE(make_scatter(nullptr, nullptr, 5, 0)->empty());
  EXPECT_TRUE(make_scatter(nullptr, nullptr, 5, 7, 8)->empty());
}

TEST_F(Scatters, for_accumulates_are_cut_to_whole_elements) {
  std::vector<void*> segments = at({0, 100});
  EXPECT_EQ(make_scatter(segments.data(), segments.data(), 2, 23, 8)->bytes, 16U);
}

TEST_F(Scatters, parts_are_scatters_of_their_own) {
  std::vector<void*> near = at({0, 500, 300, 1000});
  const Scatter scatter{near.data(), near.data(), 4, 37};
  const Scatter part = scatter.part(1, 2);
  EXPECT_EQ(part.total_bytes(), 74U);
  EXPECT_EQ(part.near[0], near[1]);
}

TEST_F(Scatters, take_segments_beyond_32_bits_and_refuse_sizes_beyond_63) {
  std::vector<void*> near = at({0, 500});
  const Result<Scatter> large = make_scatter(near.data(), near.data(), 2, std::int64_t{5} << 30);
  ASSERT_TRUE(large);
  EXPECT_EQ(large->total_bytes(), std::uint64_t{10} << 30);
  EXPECT_FALSE(make_scatter(near.data(), near.data(), 2, INT64_MAX));
  EXPECT_FALSE(make_scatter(near.data(), near.data(), INT64_MAX, 0));
  EXPECT_FALSE(make_scatter(near.data(), near.data(), std::int64_t{1} << 40, std::int64_t{1} << 40));
}

}  // namespace
}  // namespace comex
