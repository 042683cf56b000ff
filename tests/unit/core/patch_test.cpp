#include "core/patch.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/patch_runs.h"
#include "unit/core/patch_naive.h"

namespace comex {
namespace {

using testing::BytePair;
using testing::RawPatch;
using testing::RawPatchMaker;

Result<Patch> make(const RawPatch& raw, unsigned element_bytes = 1) {
  return make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts, element_bytes);
}

std::vector<BytePair> walked_bytes(const Patch& patch) {
  std::vector<BytePair> bytes;
  for_each_run(patch, [&bytes](std::uint64_t near, std::uint64_t far, std::uint64_t run) {
    for (std::uint64_t i = 0; i < run; ++i)
      bytes.push_back({static_cast<std::int64_t>(near + i), static_cast<std::int64_t>(far + i)});
  });
  return bytes;
}

TEST(Patch, walks_random_rectangles_as_their_definition_reads) {
  RawPatchMaker maker(1);
  for (int round = 0; round < 3000; ++round) {
    const RawPatch raw = maker.make();
    const Result<Patch> patch = make(raw);
    ASSERT_TRUE(patch) << patch.failure().text;
    const std::vector<BytePair> expected = naive_bytes(raw);
    ASSERT_EQ(walked_bytes(patch.value()), expected) << "round " << round;
    ASSERT_EQ(patch->total_bytes(), expected.size());
    std::int64_t near = 0;
    std::int64_t far = 0;
    for (const BytePair& byte : expected) {
      near = std::max(near, byte.near + 1);
      far = std::max(far, byte.far + 1);
    }
    ASSERT_EQ(patch->extent_bytes(Side::near), static_cast<std::uint64_t>(near));
    ASSERT_EQ(patch->far_extent_bytes(), static_cast<std::uint64_t>(far));
  }
}

TEST(Patch, of_rows_without_gaps_is_contiguous) {
  const RawPatch raw{3, {8, 24, 48}, {8, 24, 48}, {8, 3, 2, 5}};
  const Result<Patch> patch = make(raw);
  ASSERT_TRUE(patch);
  EXPECT_TRUE(patch->contiguous());
  EXPECT_EQ(patch->run_bytes(), 240U);
}

TEST(Patch, keeps_a_level_when_only_one_side_is_contiguous) {
  const RawPatch raw{1, {8}, {9}, {8, 3}};
  EXPECT_EQ(make(raw)->levels, 1);
}

TEST(Patch, merges_levels_that_continue_each_other) {
  const RawPatch raw{2, {10, 40}, {20, 80}, {8, 4, 3}};
  const Result<Patch> patch = make(raw);
  EXPECT_EQ(patch->levels, 1);
  EXPECT_EQ(patch->counts[1], 12U);
}

TEST(Patch, ignores_strides_of_levels_that_do_not_repeat) {
  const RawPatch raw{3, {-7, 100, 0}, {1'000'000, 200, -1}, {8, 1, 4, 1}};
  const Result<Patch> patch = make(raw);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->levels, 1);
  EXPECT_EQ(patch->near_strides[0], 100);
  EXPECT_EQ(patch->far_strides[0], 200);
}

TEST(Patch, with_a_count_of_zero_anywhere_is_empty) {
  for (int level = 0; level <= 2; ++level) {
    RawPatch raw{2, {16, 64}, {16, 64}, {8, 3, 2}};
    raw.counts[level] = 0;
    const Result<Patch> patch = make(raw);
    ASSERT_TRUE(patch);
    EXPECT_TRUE(patch->empty());
    EXPECT_EQ(patch->total_bytes(), 0U);
    EXPECT_EQ(patch->far_extent_bytes(), 0U);
    EXPECT_TRUE(walked_bytes(patch.value()).empty());
    EXPECT_FALSE(rows_overlap(patch.value(), Side::far));
  }
}

TEST(Patch, cuts_runs_to_whole_elements_before_it_merges_them) {
  const RawPatch raw{1, {12}, {12}, {12, 5}};
  const Result<Patch> patch = make(raw, 8);
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->levels, 1);
  EXPECT_EQ(patch->run_bytes(), 8U);
  EXPECT_EQ(patch->counts[1], 5U);
  EXPECT_TRUE(make(raw, 16)->empty());
}

TEST(Patch, finds_rows_that_overlap_by_a_short_stride_or_by_their_bytes_alone) {
  EXPECT_FALSE(rows_overlap(make({1, {8}, {8}, {8, 100}}).value(), Side::far));
  EXPECT_TRUE(rows_overlap(make({1, {8}, {7}, {8, 100}}).value(), Side::far));
  EXPECT_FALSE(rows_overlap(make({1, {8}, {7}, {8, 100}}).value(), Side::near));
  EXPECT_TRUE(rows_overlap(make({1, {8}, {0}, {8, 2}}).value(), Side::far));
  EXPECT_FALSE(rows_overlap(make({1, {8}, {0}, {8, 1}}).value(), Side::far));
  // Columns of a row-major matrix of 100 x 50 words: the inner level steps 400, the outer 8.
  EXPECT_FALSE(rows_overlap(make({2, {400, 8}, {400, 8}, {8, 100, 50}}).value(), Side::far));
  EXPECT_TRUE(rows_overlap(make({2, {400, 8}, {400, 8}, {8, 100, 51}}).value(), Side::far));
}

TEST(Patch, finds_no_overlap_where_there_is_none) {
  RawPatchMaker maker(6);
  int found = 0;
  int apart = 0;
  for (int round = 0; round < 6000; ++round) {
    const RawPatch raw = maker.make();
    for (const Side side : {Side::near, Side::far}) {
      const bool is_found = rows_overlap(make(raw).value(), side);
      (is_found ? found : apart)++;
      ASSERT_TRUE(!is_found || overlaps(raw, side)) << "round " << round;
    }
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(apart, 500);
}

TEST(Patch, refuses_a_ninth_level_and_negative_levels) {
  const int zeros[10] = {};
  EXPECT_NE(make_patch(9, zeros, zeros, zeros).failure().text.find("9 stride levels"), std::string::npos);
  EXPECT_FALSE(make_patch(-1, zeros, zeros, zeros));
}

TEST(Patch, refuses_negative_counts_and_names_the_level) {
  const RawPatch raw{2, {16, 64}, {16, 64}, {8, 3, -2}};
  const Result<Patch> patch = make(raw);
  ASSERT_FALSE(patch);
  EXPECT_NE(patch.failure().text.find("count[2] is -2"), std::string::npos) << patch.failure().text;
}

TEST(Patch, refuses_negative_strides_where_they_matter) {
  const RawPatch near{2, {16, -64}, {16, 64}, {8, 3, 2}};
  ASSERT_FALSE(make(near));
  EXPECT_NE(make(near).failure().text.find("origin-side stride[1] is -64"), std::string::npos);
  const RawPatch far{2, {16, 64}, {-16, 64}, {8, 3, 2}};
  ASSERT_FALSE(make(far));
  EXPECT_NE(make(far).failure().text.find("target-side stride[0] is -16"), std::string::npos);
}

TEST(Patch, refuses_null_arrays) {
  const int one[2] = {8, 2};
  const int* const none = nullptr;
  EXPECT_FALSE(make_patch(0, none, none, none));
  EXPECT_FALSE(make_patch(1, nullptr, one, one));
  EXPECT_FALSE(make_patch(1, one, nullptr, one));
  EXPECT_TRUE(make_patch(0, nullptr, nullptr, one));
}

TEST(Patch, refuses_sizes_and_extents_beyond_63_bits) {
  constexpr int big = std::numeric_limits<int>::max();
  const RawPatch size{2, {0, 0}, {0, 0}, {big, big, big}};
  EXPECT_FALSE(make(size));
  Patch extent;
  extent.levels = 1;
  extent.counts[0] = 1;
  extent.counts[1] = 4;
  extent.near_strides[0] = std::numeric_limits<std::int64_t>::max() / 2;
  extent.far_strides[0] = 1;
  EXPECT_FALSE(normalised(extent));
  std::swap(extent.near_strides[0], extent.far_strides[0]);
  EXPECT_FALSE(normalised(extent));
  extent.far_strides[0] = 1LL << 40;
  EXPECT_TRUE(normalised(extent));
}

TEST(Patch, refuses_what_a_broken_wire_could_bring) {
  Patch raw;
  raw.levels = 200;
  EXPECT_FALSE(normalised(raw));
  raw.levels = -3;
  EXPECT_FALSE(normalised(raw));
  raw.levels = 0;
  raw.counts[0] = ~std::uint64_t{0};
  EXPECT_FALSE(normalised(raw));
}

TEST(Patch, takes_sizes_beyond_32_bits) {
  constexpr std::size_t run = std::size_t{5} << 30;
  constexpr std::ptrdiff_t apart = std::ptrdiff_t{6} << 30;
  constexpr std::ptrdiff_t packed = std::ptrdiff_t{5} << 30;
  constexpr std::size_t counts[] = {run, 3};
  const Result<Patch> strided = make_patch(1, &packed, &apart, counts);
  ASSERT_TRUE(strided);
  EXPECT_EQ(strided->total_bytes(), 3 * run);
  EXPECT_EQ(strided->far_extent_bytes(), 17 * (std::uint64_t{1} << 30));
  RunCursor cursor(strided.value());
  cursor.seek(2 * run + 7);
  const Rows rest = cursor.peek_rows(~std::uint64_t{0});
  EXPECT_EQ(rest.far_offset, 12 * (std::uint64_t{1} << 30) + 7);
  EXPECT_EQ(rest.near_offset, 2 * run + 7);
  EXPECT_EQ(rest.bytes, run - 7);
  const Result<Patch> whole = make_patch(1, &packed, &packed, counts);
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->contiguous());
  EXPECT_EQ(whole->run_bytes(), 3 * run);
}

TEST(Patch, refuses_wide_sizes_beyond_63_bits) {
  constexpr std::ptrdiff_t stride = 8;
  for (const std::size_t huge : {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4}) {
    const std::size_t runs[] = {8, huge};
    const std::size_t bytes[] = {huge, 9};
    EXPECT_FALSE(make_patch(1, &stride, &stride, runs)) << huge;
    EXPECT_FALSE(make_patch(1, &stride, &stride, bytes)) << huge;
  }
  constexpr std::ptrdiff_t backwards = -8;
  constexpr std::size_t two[] = {8, 2};
  EXPECT_FALSE(make_patch(1, &backwards, &stride, two));
}

}  // namespace
}  // namespace comex
