#include "groups/group.h"

#include <gtest/gtest.h>

#include <memory>

namespace comex::groups {
namespace {

std::unique_ptr<Group> some_group(std::uint64_t context) {
  return std::make_unique<Group>(context, ConnectionTable::range(0, 4), 1);
}

TEST(GroupTable, gives_the_world_handle_zero_and_reuses_freed_handles) {
  GroupTable table;
  EXPECT_EQ(table.add(some_group(1)), world_handle);
  const int second = table.add(some_group(2));
  EXPECT_EQ(second, 1);
  table.remove(second);
  EXPECT_EQ(table.find(second), nullptr);
  EXPECT_EQ(table.add(some_group(3)), second);
  EXPECT_EQ(table.find(second)->context(), 3u);
}

TEST(GroupTable, knows_nothing_of_handles_never_given) {
  GroupTable table;
  table.add(some_group(1));
  EXPECT_EQ(table.find(-1), nullptr);
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.find(max_groups), nullptr);
}

TEST(GroupTable, says_when_it_is_full) {
  GroupTable table;
  for (int i = 0; i < max_groups; ++i) ASSERT_EQ(table.add(some_group(7)), i);
  EXPECT_EQ(table.add(some_group(8)), -1);
}

TEST(Group, numbers_its_collectives) {
  Group group(9, ConnectionTable::range(0, 2), 0);
  EXPECT_EQ(group.next_sequence(), 0u);
  EXPECT_EQ(group.next_sequence(), 1u);
}

}  // namespace
}  // namespace comex::groups
