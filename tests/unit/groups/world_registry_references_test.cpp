// The rules by which tables, connections and worlds come and go, with the numbers that must come out.
#include <gtest/gtest.h>

#include <thread>

#include "unit/groups/worlds.h"

namespace comex::groups {
namespace {

using testing::admitted;
using testing::references;
using testing::some_world;

constexpr Gpid child{1, 0};

class References : public ::testing::Test {
 protected:
  // What a spawn of one child over the self group leaves behind.
  Table meet_child() {
    EXPECT_TRUE(registry.add_world(some_world(1, 1)));
    return registry.make_table(admitted(registry, {child}));
  }

  std::vector<WorldId> freed;
  WorldRegistry registry{some_world(0, 4), 1, [this](WorldId id) { freed.push_back(id); }};
  Table world = registry.make_world_table();
  Table self = registry.make_self_table();
};

TEST_F(References, after_init_are_two_for_others_three_for_oneself_and_one_of_the_world_for_each) {
  EXPECT_EQ(references(registry, WorldId{0}), 4);
  EXPECT_EQ(references(registry, Gpid{0, 0}), 2);
  EXPECT_EQ(references(registry, Gpid{0, 1}), 3);
  EXPECT_EQ(references(registry, Gpid{0, 3}), 2);
  EXPECT_EQ(world.references(), 1u);
}

TEST_F(References, of_a_duplicate_are_the_tables) {
  const Table dup = world.dup();
  EXPECT_EQ(dup.references(), 2u);
  EXPECT_EQ(references(registry, Gpid{0, 0}), 2);
}

TEST_F(References, of_a_part_are_one_more_for_each_of_its_members) {
  const std::uint32_t ranks[] = {3, 1};
  Table part = registry.subset(world, ranks);
  EXPECT_EQ(part.references(), 1u);
  EXPECT_EQ(references(registry, Gpid{0, 0}), 2);
  EXPECT_EQ(references(registry, Gpid{0, 1}), 4);
  EXPECT_EQ(references(registry, Gpid{0, 3}), 3);
  EXPECT_EQ(references(registry, WorldId{0}), 4);
  part.free();
  EXPECT_EQ(references(registry, Gpid{0, 3}), 2);
}

TEST_F(References, of_lists_that_jump_count_like_ranges) {
  const Lpid lpids[] = {2, 0, 3};
  const Table list = registry.make_table(lpids);
  EXPECT_EQ(references(registry, Gpid{0, 0}), 3);
  EXPECT_EQ(references(registry, Gpid{0, 1}), 3);
  EXPECT_EQ(references(registry, Gpid{0, 3}), 3);
}

TEST_F(References, of_a_table_with_endpoints_are_one_for_each_process) {
  Table met = meet_child();
  const Lpid at = registry.lpid_of(child).value();
  Table own_and_child = registry.make_table(std::vector<Lpid>{1, at, 0, at, 1});
  Table child_alone = registry.make_table(std::vector<Lpid>{at, at});
  EXPECT_EQ(references(registry, Gpid{0, 1}), 4);
  EXPECT_EQ(references(registry, child), 4);
  own_and_child.free();
  child_alone.free();
  EXPECT_EQ(references(registry, child), 2);
  met.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
}

TEST_F(References, of_the_own_world_survive_every_disconnection) {
  Table part = registry.make_table(ConnectionTable::range(0, 2));
  part.disconnect();
  EXPECT_EQ(references(registry, Gpid{0, 0}), 2);
  EXPECT_EQ(references(registry, WorldId{0}), 4);
}

TEST_F(References, of_a_spawned_child_are_two_and_one_of_its_world) {
  const Table table = meet_child();
  EXPECT_EQ(references(registry, child), 2);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
}

TEST_F(References, after_free_are_one_and_the_world_lives) {
  Table table = meet_child();
  table.free();
  EXPECT_EQ(references(registry, child), 1);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
  EXPECT_TRUE(freed.empty());
  EXPECT_EQ(registry.lpid_count(), 5u);
}

TEST_F(References, after_disconnect_are_none_and_the_world_is_freed) {
  Table table = meet_child();
  table.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
  EXPECT_EQ(freed, std::vector<WorldId>{1});
  EXPECT_EQ(registry.lpid_count(), 4u);
}

TEST_F(References, of_two_duplicates_that_are_disconnected_end_with_the_second) {
  Table one = meet_child();
  Table two = one.dup();
  one.disconnect();
  EXPECT_EQ(references(registry, child), 2);
  EXPECT_EQ(two.references(), 1u);
  two.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
}

TEST_F(References, stay_when_the_duplicate_of_a_disconnected_table_is_only_freed) {
  Table one = meet_child();
  Table two = one.dup();
  one.disconnect();
  two.free();
  EXPECT_EQ(references(registry, child), 1);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
}

TEST_F(References, end_when_the_duplicate_of_a_freed_table_is_disconnected) {
  Table one = meet_child();
  Table two = one.dup();
  one.free();
  two.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
}

TEST_F(References, of_an_inter_group_and_its_merged_group_are_three_then_two_then_none) {
  Table inter = meet_child();
  Table merged = registry.make_table(admitted(registry, {{0, 1}, child}));
  EXPECT_EQ(references(registry, child), 3);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
  inter.disconnect();
  EXPECT_EQ(references(registry, child), 2);
  merged.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
}

TEST_F(References, stay_when_the_merged_group_of_a_disconnected_inter_group_is_only_freed) {
  Table inter = meet_child();
  Table merged = registry.make_table(admitted(registry, {{0, 1}, child}));
  inter.disconnect();
  merged.free();
  EXPECT_EQ(references(registry, child), 1);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
}

TEST_F(References, of_a_table_made_again_after_free_are_two) {
  Table first = meet_child();
  first.free();
  Table second = registry.make_table(admitted(registry, {child}));
  EXPECT_EQ(references(registry, child), 2);
  second.disconnect();
  EXPECT_EQ(freed, std::vector<WorldId>{1});
}

TEST_F(References, of_processes_in_no_table_are_none_but_their_data_is_there) {
  WorldDescription three = some_world(1, 3);
  three.rows = std::make_shared<const std::vector<ConnectionData>>(
      std::vector<ConnectionData>{{.vpid = 0}, {.vpid = 2}, {.vpid = 5}});
  ASSERT_TRUE(registry.add_world(three));
  const Table table = registry.make_table(admitted(registry, {{1, 1}}));
  EXPECT_EQ(references(registry, Gpid{1, 0}), 0);
  EXPECT_EQ(references(registry, Gpid{1, 2}), 0);
  EXPECT_EQ(references(registry, WorldId{1}), 1);  // below its size
  EXPECT_EQ(registry.connection_data({1, 2})->vpid, 5);
}

TEST_F(References, of_groups_made_from_old_ones_leave_the_world_alone) {
  Table table = meet_child();
  const std::uint32_t ranks[] = {0};
  Table part = registry.subset(table, ranks);
  EXPECT_EQ(references(registry, child), 3);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
  part.free();
  table.disconnect();
  EXPECT_EQ(references(registry, WorldId{1}), -1);
}

TEST_F(References, of_worlds_that_came_along_go_with_the_world_that_introduced_them) {
  Table table = meet_child();
  ASSERT_TRUE(registry.add_world(some_world(2, 3), WorldId{1}));
  ASSERT_TRUE(registry.add_world(some_world(3, 1), WorldId{1}));
  EXPECT_EQ(admitted(registry, {{2, 1}}), std::vector<Lpid>{5});
  Table used = registry.make_table(admitted(registry, {{3, 0}}));
  table.disconnect();
  EXPECT_EQ(references(registry, WorldId{2}), -1);
  EXPECT_EQ(references(registry, WorldId{3}), 1);  // has connections of its own
  EXPECT_EQ(freed, (std::vector<WorldId>{1, 2}));
  used.disconnect();
  EXPECT_EQ(references(registry, WorldId{3}), -1);
}

TEST_F(References, come_out_right_when_threads_change_them_at_once) {
  Table table = meet_child();
  const Lpid lpid = registry.lpid_of(child).value();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        Table mine = registry.make_table(std::vector<Lpid>{0, lpid});
        Table dup = table.dup();
        EXPECT_TRUE(registry.connection_references(child));
        dup.free();
        mine.disconnect();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(references(registry, child), 2);
  EXPECT_EQ(references(registry, Gpid{0, 0}), 2);
  EXPECT_EQ(table.references(), 1u);
}

TEST_F(References, of_a_world_that_came_along_and_was_met_since_do_not_go_with_the_other) {
  Table table = meet_child();
  ASSERT_TRUE(registry.add_world(some_world(2, 3), WorldId{1}));
  ASSERT_TRUE(registry.add_world(some_world(2, 3)));
  table.disconnect();
  EXPECT_EQ(references(registry, WorldId{2}), 0);
}

TEST_F(References, of_a_world_that_was_never_used_are_dropped_on_demand_only) {
  Table table = meet_child();
  ASSERT_TRUE(registry.add_world(some_world(2, 3)));
  registry.drop_unused(1);
  registry.drop_unused(2);
  registry.drop_unused(0);
  EXPECT_EQ(references(registry, WorldId{1}), 1);
  EXPECT_EQ(references(registry, WorldId{2}), -1);
  EXPECT_EQ(references(registry, WorldId{0}), 4);
}

}  // namespace
}  // namespace comex::groups
