#include <gtest/gtest.h>

#include <algorithm>

#include "core/patch.h"
#include "unit/core/patch_naive.h"

namespace comex {
namespace {

using testing::BytePair;
using testing::RawPatch;
using testing::RawPatchMaker;

bool overlaps_naively(const RawPatch& raw, Side side) {
  std::vector<std::int64_t> offsets;
  for (const BytePair& byte : naive_bytes(raw)) offsets.push_back(side == Side::near ? byte.near : byte.far);
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end();
}

Patch far_patch(int levels, std::vector<int> strides, std::vector<int> counts) {
  return make_patch(levels, strides.data(), strides.data(), counts.data()).value();
}

TEST(PatchOverlap, agrees_with_counting_bytes_on_random_rectangles) {
  RawPatchMaker maker(6);
  int overlapping = 0;
  int apart = 0;
  for (int round = 0; round < 6000; ++round) {
    const RawPatch raw = maker.make();
    const Patch patch = make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts).value();
    for (const Side side : {Side::near, Side::far}) {
      const bool expected = overlaps_naively(raw, side);
      (expected ? overlapping : apart)++;
      ASSERT_EQ(rows_overlap(patch, side), expected) << "round " << round;
    }
  }
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(apart, 500);
}

TEST(PatchOverlap, agrees_with_counting_bytes_on_strides_that_do_not_nest) {
  RawPatchMaker maker(7);
  int apart = 0;
  for (int round = 0; round < 20000; ++round) {
    RawPatch raw;
    raw.levels = 3;
    raw.counts[0] = maker.pick(1, 4);
    for (int level = 0; level < 3; ++level) {
      raw.counts[level + 1] = maker.pick(2, 5);
      raw.far_strides[level] = maker.pick(1, 120);
    }
    const Patch patch = make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts).value();
    const bool expected = overlaps_naively(raw, Side::far);
    apart += expected ? 0 : 1;
    ASSERT_EQ(rows_overlap(patch, Side::far), expected) << "round " << round;
  }
  EXPECT_GT(apart, 1000);
}

TEST(PatchOverlap, rows_that_just_touch_do_not_overlap) {
  EXPECT_FALSE(rows_overlap(far_patch(1, {8}, {8, 100}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(1, {7}, {8, 100}), Side::far));
}

TEST(PatchOverlap, outer_levels_may_step_less_than_inner_ones) {
  // Columns of a row-major matrix of 100 x 50 words: the inner level steps 400, the outer 8.
  EXPECT_FALSE(rows_overlap(far_patch(2, {400, 8}, {8, 100, 50}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(2, {400, 8}, {8, 100, 51}), Side::far));
}

TEST(PatchOverlap, a_stride_of_zero_overlaps) {
  EXPECT_TRUE(rows_overlap(far_patch(1, {0}, {8, 2}), Side::far));
  EXPECT_FALSE(rows_overlap(far_patch(1, {0}, {8, 1}), Side::far));
}

TEST(PatchOverlap, interleaved_levels_of_a_million_rows_are_decided) {
  // Even and odd words by two coprime strides: 3 and 7 words meet at 21.
  EXPECT_FALSE(rows_overlap(far_patch(2, {24, 56}, {8, 7, 3}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(2, {24, 56}, {8, 8, 4}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(2, {24, 56}, {8, 1000, 1000}), Side::far));
  EXPECT_FALSE(rows_overlap(far_patch(3, {24, 56, 168}, {8, 7, 3, 1}), Side::far));
}

TEST(PatchOverlap, agrees_with_counting_bytes_on_many_levels_that_do_not_nest) {
  RawPatchMaker maker(8);
  int apart = 0;
  int overlapping = 0;
  for (int round = 0; round < 3000; ++round) {
    RawPatch raw;
    raw.levels = maker.pick(4, 6);
    raw.counts[0] = maker.pick(1, 3);
    for (int level = 0; level < raw.levels; ++level) {
      raw.counts[level + 1] = maker.pick(2, 4);
      raw.far_strides[level] = maker.pick(1, 12000);
    }
    const Patch patch = make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts).value();
    const bool expected = overlaps_naively(raw, Side::far);
    (expected ? overlapping : apart)++;
    ASSERT_EQ(rows_overlap(patch, Side::far), expected) << "round " << round;
  }
  EXPECT_GT(apart, 300);
  EXPECT_GT(overlapping, 300);
}

TEST(PatchOverlap, of_sixteen_million_rows_is_decided_either_way) {
  // A large step plus a power of 16 each: no two of the 8^8 sums are equal, and none of them nest.
  std::vector<int> strides;
  for (int level = 0; level < 8; ++level) strides.push_back(1'000'000'007 + (1 << (4 * level)));
  const std::vector<int> counts = {1, 8, 8, 8, 8, 8, 8, 8, 8};
  EXPECT_FALSE(rows_overlap(far_patch(8, strides, counts), Side::far));
  strides[7] = strides[0] + strides[1] - strides[2];  // one step back on two levels is one on two others
  EXPECT_TRUE(rows_overlap(far_patch(8, strides, counts), Side::far));
}

TEST(PatchOverlap, of_a_thousand_million_rows_is_decided_either_way) {
  // Steps of two levels by neighbouring numbers: they meet when both are long enough, and not before.
  EXPECT_FALSE(rows_overlap(far_patch(2, {16 * 32768, 16 * 32767}, {16, 32767, 32768}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(2, {16 * 32768, 16 * 32767}, {16, 32768, 32769}), Side::far));
  EXPECT_TRUE(rows_overlap(far_patch(2, {16 * 32768, 16 * 32767 + 1}, {16, 32768, 32769}), Side::far));
}

}  // namespace
}  // namespace comex
