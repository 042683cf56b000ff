// Local and global ids: what is assigned when, what is only looked up, what is reused.
#include <gtest/gtest.h>

#include "groups/joining.h"
#include "unit/groups/worlds.h"

namespace comex::groups {
namespace {

using testing::admitted;
using testing::references;
using testing::some_world;

TEST(WorldRegistry, numbers_its_own_world_like_the_ranks) {
  const WorldRegistry registry(some_world(0, 3), 2);
  EXPECT_EQ(registry.lpid_count(), 3u);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(registry.lpid_of({0, rank}).value(), static_cast<Lpid>(rank));
    EXPECT_EQ(registry.gpid_of(static_cast<Lpid>(rank)).value(), (Gpid{0, rank}));
  }
  EXPECT_EQ(registry.me(), (Gpid{0, 2}));
}

// World {P0, P1}; P1 spawns P2 over a group of itself; then an inter-group of {P0} with {P2}.
TEST(WorldRegistry, numbers_the_worked_example_as_written) {
  WorldRegistry p0(some_world(0, 2), 0);
  WorldRegistry p1(some_world(0, 2), 1);
  WorldRegistry p2(some_world(1, 1), 0);
  ASSERT_TRUE(p1.add_world(some_world(1, 1)));
  EXPECT_EQ(admitted(p1, {{1, 0}}), std::vector<Lpid>{2});
  ASSERT_TRUE(p2.add_world(some_world(0, 2)));
  admitted(p2, order_for_spawned(LpidOrder::spawner, std::vector<Gpid>{{0, 1}}, p1.lpid_table()));
  EXPECT_EQ(p0.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}}));
  EXPECT_EQ(p1.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(p2.lpid_table(), (std::vector<Gpid>{{1, 0}, {0, 0}, {0, 1}}));

  ASSERT_TRUE(p0.add_world(some_world(1, 1)));
  EXPECT_EQ(p0.lpid_of({1, 0}).value(), no_lpid);
  EXPECT_EQ(admitted(p0, {{1, 0}}), std::vector<Lpid>{2});
  EXPECT_EQ(admitted(p2, {{0, 0}}), std::vector<Lpid>{1});
  EXPECT_EQ(p0.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(p2.lpid_count(), 3u);
}

TEST(WorldRegistry, numbers_the_spawner_first_where_parents_come_first) {
  WorldRegistry p2(some_world(1, 1), 0);
  ASSERT_TRUE(p2.add_world(some_world(0, 2)));
  const std::vector<Gpid> table = {{0, 0}, {0, 1}, {1, 0}};
  admitted(p2, order_for_spawned(LpidOrder::parent, std::vector<Gpid>{{0, 1}}, table));
  EXPECT_EQ(p2.lpid_table(), (std::vector<Gpid>{{1, 0}, {0, 1}, {0, 0}}));
}

TEST(WorldRegistry, only_looks_up_where_it_is_asked_for_an_lpid) {
  WorldRegistry registry(some_world(0, 2), 0);
  ASSERT_TRUE(registry.add_world(some_world(1, 4)));
  EXPECT_EQ(registry.lpid_of({1, 3}).value(), no_lpid);
  EXPECT_EQ(registry.lpid_count(), 2u);
  EXPECT_EQ(admitted(registry, {{1, 3}, {0, 1}, {1, 0}, {1, 3}}), (std::vector<Lpid>{2, 1, 3, 2}));
  EXPECT_EQ(registry.lpid_of({1, 3}).value(), 2);
  EXPECT_EQ(registry.gpid_of(3).value(), (Gpid{1, 0}));
}

TEST(WorldRegistry, names_the_gpid_of_an_unknown_world_or_rank) {
  WorldRegistry registry(some_world(0, 2), 0);
  ASSERT_TRUE(registry.add_world(some_world(1, 4)));
  const Result<Lpid> world = registry.lpid_of({9, 1});
  const Result<Lpid> rank = registry.lpid_of({1, 4});
  ASSERT_FALSE(world);
  ASSERT_FALSE(rank);
  EXPECT_EQ(world.failure().text, "gpid (9,1): world 9 is not known here");
  EXPECT_EQ(rank.failure().text, "gpid (1,4): world 1 has ranks 0 to 3");
  EXPECT_FALSE(registry.lpid_of({0, 2}));
  EXPECT_FALSE(registry.connection_references({1, 4}));
  EXPECT_FALSE(registry.gpid_of(2));
  EXPECT_FALSE(registry.gpid_of(-1));
  const std::vector<Gpid> some = {{1, 0}, {9, 0}};
  EXPECT_FALSE(registry.admit(some));
  EXPECT_EQ(registry.lpid_count(), 2u);  // all or nothing
}

TEST(WorldRegistry, gives_the_lowest_free_lpid_again_once_a_world_has_gone) {
  WorldRegistry registry(some_world(0, 2), 0);
  ASSERT_TRUE(registry.add_world(some_world(1, 2)));
  ASSERT_TRUE(registry.add_world(some_world(2, 2)));
  Table one = registry.make_table(admitted(registry, {{1, 0}, {1, 1}}));
  Table two = registry.make_table(admitted(registry, {{2, 0}}));
  one.disconnect();
  EXPECT_FALSE(registry.lpid_of({1, 0}));
  EXPECT_FALSE(registry.gpid_of(3));
  EXPECT_EQ(registry.lpid_of({2, 0}).value(), 4);
  EXPECT_EQ(registry.lpid_count(), 3u);
  ASSERT_TRUE(registry.add_world(some_world(3, 3)));
  EXPECT_EQ(admitted(registry, {{3, 2}, {3, 0}, {3, 1}}), (std::vector<Lpid>{2, 3, 5}));
}

TEST(WorldRegistry, refuses_another_world_of_a_number_that_it_knows) {
  WorldRegistry registry(some_world(0, 2), 0);
  ASSERT_TRUE(registry.add_world(some_world(1, 4)));
  EXPECT_TRUE(registry.add_world(some_world(1, 4)));
  const Status other = registry.add_world(some_world(1, 4, 99));
  ASSERT_FALSE(other);
  EXPECT_NE(other.failure().text.find("COMEX_MANAGER"), std::string::npos);
  EXPECT_FALSE(registry.add_world(some_world(1, 5))) << "of another size";
  EXPECT_TRUE(registry.world(1));
  const Result<WorldDescription> unknown = registry.world(9);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.failure().text, "world 9 is not known here");
}

TEST(WorldRegistry, tells_the_connection_data_of_a_world_that_has_rows) {
  WorldDescription own = some_world(0, 1);
  own.rows = std::make_shared<const std::vector<ConnectionData>>(
      std::vector<ConnectionData>{{.vpid = 3, .local_rank = 1, .node_rank = 2}});
  const WorldRegistry registry(own, 0);
  EXPECT_EQ(registry.connection_data({0, 0})->node_rank, 2);
  EXPECT_EQ(registry.world(0)->rows->front().vpid, 3);
  EXPECT_FALSE(registry.connection_data({0, 1}));
}

TEST(WorldRegistry, stays_where_it_was_over_two_hundred_meetings) {
  WorldRegistry registry(some_world(0, 2), 0);
  for (WorldId world = 1; world <= 200; ++world) {
    ASSERT_TRUE(registry.add_world(some_world(world, 3)));
    Table inter = registry.make_table(admitted(registry, {{world, 0}, {world, 1}, {world, 2}}));
    EXPECT_EQ(inter.members().lpid(2), 4);
    inter.disconnect();
  }
  EXPECT_EQ(registry.lpid_count(), 2u);
  EXPECT_EQ(registry.worlds().size(), 1u);
}

}  // namespace
}  // namespace comex::groups
