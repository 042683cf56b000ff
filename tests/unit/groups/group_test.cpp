#include "groups/group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "groups/world_registry.h"

namespace comex::groups {
namespace {

WorldDescription world_of(std::uint32_t size) {
  return {{.id = 0, .size = size, .launch = {1, 2}, .nonce = {3, 4}}};
}

class GroupTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Group> some_group(std::uint64_t context) {
    return std::make_unique<Group>(context, world.dup(), 1);
  }

  WorldRegistry registry{world_of(4), 1};
  Table world = registry.make_world_table();
  GroupTable table;
};

TEST_F(GroupTableTest, gives_the_world_handle_zero_and_reuses_freed_handles) {
  EXPECT_EQ(table.add(some_group(1)), world_handle);
  const int second = table.add(some_group(2));
  EXPECT_EQ(second, 1);
  table.remove(second);
  EXPECT_EQ(table.find(second), nullptr);
  EXPECT_EQ(table.add(some_group(3)), second);
  EXPECT_EQ(table.find(second)->context(), 3u);
}

TEST_F(GroupTableTest, knows_nothing_of_handles_never_given) {
  table.add(some_group(1));
  EXPECT_EQ(table.find(-1), nullptr);
  EXPECT_EQ(table.find(1), nullptr);
  EXPECT_EQ(table.find(max_groups), nullptr);
}

TEST_F(GroupTableTest, says_when_it_is_full) {
  for (int i = 0; i < max_groups; ++i) ASSERT_EQ(table.add(some_group(7)), i);
  EXPECT_EQ(table.add(some_group(8)), -1);
}

TEST_F(GroupTableTest, has_a_place_of_its_own_for_the_self_group) {
  EXPECT_EQ(table.find(self_handle), nullptr);
  table.set_self(std::make_unique<Group>(3, registry.make_self_table(), 0));
  EXPECT_EQ(table.find(self_handle)->members().lpid(0), 1);
  table.remove(self_handle);
  EXPECT_NE(table.find(self_handle), nullptr);
  EXPECT_FALSE(table.any_of([](int, const Group&) { return true; }));
}

TEST_F(GroupTableTest, looks_at_every_group_that_is_there_until_one_will_do) {
  for (const std::uint64_t context : {4u, 5u, 6u}) table.add(some_group(context));
  table.remove(1);
  std::vector<int> seen;
  const auto has = [&](std::uint64_t context) {
    seen.clear();
    return table.any_of([&](int handle, const Group& group) {
      seen.push_back(handle);
      return group.context() == context;
    });
  };
  EXPECT_FALSE(has(5));
  EXPECT_EQ(seen, (std::vector<int>{0, 2}));
  EXPECT_TRUE(has(4));
  EXPECT_EQ(seen, std::vector<int>{0});
}

// One thread frees groups while another one looks at all there are.
TEST_F(GroupTableTest, keeps_a_group_that_is_looked_at) {
  constexpr int rounds = 2000;
  table.add(some_group(4));
  std::atomic<bool> is_over{false};
  std::thread looks([&] {
    while (!is_over) EXPECT_FALSE(table.any_of([](int, const Group& group) { return group.size() != 4; }));
  });
  for (int round = 0; round < rounds; ++round) table.remove(table.add(some_group(5)));
  is_over = true;
  looks.join();
}

TEST_F(GroupTableTest, frees_its_groups_tables_when_it_goes) {
  {
    GroupTable other;
    for (int i = 0; i < 40; ++i) other.add(some_group(7));
    EXPECT_EQ(world.references(), 41u);
  }
  EXPECT_EQ(world.references(), 1u);
}

}  // namespace
}  // namespace comex::groups
