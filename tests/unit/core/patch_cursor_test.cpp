#include <gtest/gtest.h>

#include "core/patch.h"
#include "unit/core/patch_naive.h"

namespace comex {
namespace {

using testing::BytePair;
using testing::RawPatch;
using testing::RawPatchMaker;

Patch whole_patch(const RawPatch& raw) {
  return make_patch(raw.levels, raw.near_strides, raw.far_strides, raw.counts).value();
}

void append(std::vector<BytePair>& bytes, const Rows& rows) {
  for (std::uint64_t row = 0; row < rows.count; ++row)
    for (std::uint64_t i = 0; i < rows.bytes; ++i)
      bytes.push_back({static_cast<std::int64_t>(rows.near_offset + i) +
                           static_cast<std::int64_t>(row) * rows.near_stride,
                       static_cast<std::int64_t>(rows.far_offset + i) +
                           static_cast<std::int64_t>(row) * rows.far_stride});
}

TEST(RunCursor, cut_into_groups_of_rows_walks_every_byte_in_order) {
  RawPatchMaker maker(3);
  for (int round = 0; round < 1500; ++round) {
    const RawPatch raw = maker.make();
    RunCursor cursor(whole_patch(raw));
    std::vector<BytePair> bytes;
    while (!cursor.done()) {
      const auto most = static_cast<std::uint64_t>(maker.pick(1, round % 2 == 0 ? 20 : 200));
      const Rows rows = cursor.next_rows(most);
      ASSERT_GT(rows.total_bytes(), 0U);
      ASSERT_LE(rows.total_bytes(), most);
      append(bytes, rows);
    }
    ASSERT_EQ(bytes, naive_bytes(raw)) << "round " << round;
  }
}

TEST(RunCursor, advanced_by_less_than_it_showed_goes_on_there) {
  RawPatchMaker maker(4);
  for (int round = 0; round < 1500; ++round) {
    const RawPatch raw = maker.make();
    const std::vector<BytePair> expected = naive_bytes(raw);
    RunCursor cursor(whole_patch(raw));
    while (!cursor.done()) {
      const Rows rows = cursor.peek_rows(1000);
      const BytePair first{static_cast<std::int64_t>(rows.near_offset),
                           static_cast<std::int64_t>(rows.far_offset)};
      ASSERT_EQ(first, expected[cursor.position()]) << "round " << round;
      cursor.advance(static_cast<std::uint64_t>(maker.pick(1, static_cast<int>(rows.total_bytes()))));
    }
    ASSERT_EQ(cursor.position(), expected.size());
  }
}

TEST(RunCursor, seeks_to_any_packed_byte) {
  RawPatchMaker maker(5);
  for (int round = 0; round < 300; ++round) {
    const RawPatch raw = maker.make();
    const std::vector<BytePair> expected = naive_bytes(raw);
    RunCursor cursor(whole_patch(raw));
    for (int i = 0; i < 20; ++i) {
      const auto position = static_cast<std::uint64_t>(maker.pick(0, static_cast<int>(expected.size()) - 1));
      cursor.seek(position);
      ASSERT_EQ(cursor.position(), position);
      const Rows run = cursor.next_rows(1);
      const BytePair at{static_cast<std::int64_t>(run.near_offset),
                        static_cast<std::int64_t>(run.far_offset)};
      ASSERT_EQ(at, expected[position]);
    }
    cursor.seek(expected.size());
    ASSERT_TRUE(cursor.done());
  }
}

TEST(RunCursor, of_an_empty_patch_is_done_at_once) {
  RunCursor cursor{Patch{}};
  EXPECT_TRUE(cursor.done());
  EXPECT_EQ(cursor.next_rows(8).count, 0U);
}

TEST(RunCursor, given_no_room_stays_where_it_is) {
  RunCursor cursor(contiguous_patch(100));
  EXPECT_EQ(cursor.next_rows(0).total_bytes(), 0U);
  EXPECT_EQ(cursor.next_rows(30).total_bytes(), 30U);
  EXPECT_EQ(cursor.next_rows(0).total_bytes(), 0U);
  EXPECT_EQ(cursor.next_rows(1000).total_bytes(), 70U);
}

TEST(RunCursor, survives_its_patch_and_being_copied) {
  RunCursor copy;
  {
    const Patch patch = contiguous_patch(10);
    RunCursor cursor(patch);
    (void)cursor.next_rows(4);
    copy = cursor;
  }
  EXPECT_EQ(copy.next_rows(100).near_offset, 4U);
}

}  // namespace
}  // namespace comex
