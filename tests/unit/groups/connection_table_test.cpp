#include "groups/connection_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace comex::groups {
namespace {

TEST(ConnectionTable, keeps_a_range_as_a_range) {
  const ConnectionTable table = ConnectionTable::range(3, 4);
  EXPECT_EQ(table.size(), 4u);
  EXPECT_EQ(table.lpid(0), 3);
  EXPECT_EQ(table.lpid(3), 6);
  EXPECT_EQ(table.rank_of(6), 3);
  EXPECT_EQ(table.rank_of(7), -1);
  EXPECT_EQ(table.rank_of(2), -1);
}

TEST(ConnectionTable, finds_ranks_of_rising_and_falling_strides) {
  const std::vector<Lpid> rising = {1, 4, 7, 10};
  const std::vector<Lpid> falling = {9, 7, 5};
  const ConnectionTable up = ConnectionTable::from(rising);
  const ConnectionTable down = ConnectionTable::from(falling);
  EXPECT_EQ(up.rank_of(7), 2);
  EXPECT_EQ(up.rank_of(8), -1);
  EXPECT_EQ(up.rank_of(13), -1);
  EXPECT_EQ(up.rank_of(-2), -1);
  EXPECT_EQ(down.rank_of(5), 2);
  EXPECT_EQ(down.rank_of(11), -1);
  EXPECT_EQ(down.lpid(1), 7);
}

TEST(ConnectionTable, keeps_any_other_order_as_a_list) {
  const std::vector<Lpid> lpids = {5, 0, 9, 2};
  const ConnectionTable table = ConnectionTable::from(lpids);
  for (std::uint32_t rank = 0; rank < lpids.size(); ++rank) {
    EXPECT_EQ(table.lpid(rank), lpids[rank]);
    EXPECT_EQ(table.rank_of(lpids[rank]), static_cast<int>(rank));
  }
  EXPECT_EQ(table.rank_of(1), -1);
  EXPECT_FALSE(table.has_duplicates());
}

TEST(ConnectionTable, sees_a_process_named_twice) {
  EXPECT_TRUE(ConnectionTable::from(std::vector<Lpid>{5, 0, 5}).has_duplicates());
  EXPECT_TRUE(ConnectionTable::from(std::vector<Lpid>{4, 4}).has_duplicates());
  EXPECT_FALSE(ConnectionTable::from(std::vector<Lpid>{4}).has_duplicates());
}

TEST(ConnectionTable, of_nobody_has_no_ranks) {
  const ConnectionTable table = ConnectionTable::from({});
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.rank_of(0), -1);
}

}  // namespace
}  // namespace comex::groups
