#include "core/scatter.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <span>
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

TEST_F(Scatters, overlap_only_when_two_segments_share_a_byte) {
  std::vector<void*> up = at({0, 8, 16, 100});
  std::vector<void*> shuffled = at({100, 8, 16, 0});
  std::vector<void*> shared = at({100, 8, 16, 93});
  std::vector<void*> twice = at({8, 0, 8});
  EXPECT_FALSE(segments_overlap(Scatter{up.data(), up.data(), 4, 8}, Side::far));
  EXPECT_TRUE(segments_overlap(Scatter{up.data(), up.data(), 4, 9}, Side::far));
  EXPECT_FALSE(segments_overlap(Scatter{up.data(), shuffled.data(), 4, 8}, Side::far));
  EXPECT_TRUE(segments_overlap(Scatter{up.data(), shared.data(), 4, 8}, Side::far));
  EXPECT_FALSE(segments_overlap(Scatter{up.data(), shared.data(), 4, 8}, Side::near));
  EXPECT_TRUE(segments_overlap(Scatter{twice.data(), up.data(), 3, 1}, Side::near));
}

TEST_F(Scatters, overlap_across_the_descriptors_of_one_call) {
  std::vector<void*> first = at({0, 32});
  std::vector<void*> second = at({64, 40});
  std::array<Scatter, 2> both = {Scatter{nullptr, first.data(), 2, 8},
                                 Scatter{nullptr, second.data(), 2, 16}};
  EXPECT_FALSE(segments_overlap(both, Side::far));
  both[0].bytes = 9;
  EXPECT_TRUE(segments_overlap(both, Side::far));
  both[1].bytes = 0;
  EXPECT_FALSE(segments_overlap(both, Side::far));
}

bool naive_overlap(std::span<const Scatter> scatters) {
  std::vector<unsigned char> owned(8192);
  for (const Scatter& scatter : scatters) {
    for (std::uint64_t i = 0; i < scatter.count; ++i) {
      const auto first = reinterpret_cast<std::uintptr_t>(scatter.far[i]) - 4096;
      for (std::uint64_t byte = 0; byte < scatter.bytes; ++byte)
        if (owned[first + byte]++ != 0) return true;
    }
  }
  return false;
}

TEST_F(Scatters, overlap_as_a_byte_by_byte_look_says) {
  std::mt19937 random(2);
  int overlapping = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::vector<void*>> addresses(random() % 3 + 1);
    std::vector<Scatter> scatters;
    for (std::vector<void*>& each : addresses) {
      const std::uint64_t bytes = random() % (round % 2 == 0 ? 9 : 40) + 1;
      const std::uint64_t unit = round % 3 == 0 ? bytes : 1;
      for (std::uint64_t left = random() % 12; left != 0; --left)
        each.push_back(reinterpret_cast<void*>(4096 + random() % (4096 / unit) * unit));
      scatters.push_back({nullptr, each.data(), each.size(), bytes});
    }
    const bool expected = naive_overlap(scatters);
    overlapping += expected ? 1 : 0;
    ASSERT_EQ(segments_overlap(scatters, Side::far), expected) << "round " << round;
  }
  EXPECT_GT(overlapping, 300);
  EXPECT_LT(overlapping, 2700);
}

TEST_F(Scatters, cut_anywhere_give_every_byte_in_order) {
  std::vector<void*> near = at({0, 500, 300, 1000});
  std::vector<void*> far = at({2000, 2100, 2300, 2200});
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    SegmentCursor cursor(Scatter{near.data(), far.data(), 4, 37});
    std::uint64_t position = 0;
    while (!cursor.done()) {
      ASSERT_EQ(cursor.position(), position);
      const Segment segment = cursor.next(random() % 50 + 1);
      ASSERT_GT(segment.bytes, 0U);
      ASSERT_EQ(segment.near, static_cast<std::byte*>(near[position / 37]) + position % 37);
      ASSERT_EQ(segment.far, static_cast<std::byte*>(far[position / 37]) + position % 37);
      ASSERT_LE(position % 37 + segment.bytes, 37U);
      position += segment.bytes;
    }
    ASSERT_EQ(position, 4U * 37U);
    ASSERT_EQ(cursor.next(5).bytes, 0U);
  }
}

TEST_F(Scatters, parts_are_scatters_of_their_own) {
  std::vector<void*> near = at({0, 500, 300, 1000});
  const Scatter scatter{near.data(), near.data(), 4, 37};
  const Scatter part = scatter.part(1, 2);
  EXPECT_EQ(part.total_bytes(), 74U);
  EXPECT_EQ(part.near[0], near[1]);
}

}  // namespace
}  // namespace comex
