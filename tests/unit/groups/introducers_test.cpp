// Worlds that came along with several others: they stay as long as one of those that introduced them.
#include <gtest/gtest.h>

#include "unit/groups/sides.h"

namespace comex::groups {
namespace {

using testing::admitted;
using testing::join;
using testing::references;
using testing::some_world;
using testing::TestSide;

constexpr WorldId met_first = 1;
constexpr WorldId met_second = 2;
constexpr WorldId along = 3;

class Introducers : public ::testing::Test {
 protected:
  // The worlds one and two are met; what keeps them, in the order in which they are to go.
  std::vector<Table> meet_both(bool one_goes_first) {
    std::vector<Table> tables;
    for (const WorldId world :
         {one_goes_first ? met_first : met_second, one_goes_first ? met_second : met_first}) {
      EXPECT_TRUE(registry.add_world(some_world(world, 1)));
      tables.push_back(registry.make_table(admitted(registry, {{world, 0}})));
    }
    return tables;
  }
  // Joins a world of one that knows `along`; what keeps it.
  Table join_world(WorldId world) {
    WorldRegistry other(some_world(world, 1), 0);
    EXPECT_TRUE(other.add_world(some_world(along, 2)));
    TestSide near({&registry});
    TestSide far({&other});
    const auto results = join(near, far);
    EXPECT_TRUE(*results[0][0]);
    return registry.make_table((*results[0][0])->lpids);
  }

  WorldRegistry registry{some_world(0, 2), 0};
};

TEST_F(Introducers, keep_what_they_introduced_until_the_last_of_them_goes) {
  for (const bool one_goes_first : {true, false}) {
    std::vector<Table> tables = meet_both(one_goes_first);
    ASSERT_TRUE(registry.add_world(some_world(along, 2), met_first));
    registry.add_introducer(along, met_second);
    registry.add_introducer(along, met_second);  // once is enough
    tables[0].disconnect();
    EXPECT_EQ(references(registry, along), 0);
    tables[1].disconnect();
    EXPECT_EQ(references(registry, along), -1);
  }
}

TEST_F(Introducers, do_not_keep_the_number_of_a_world_that_may_be_over) {
  std::vector<Table> tables = meet_both(true);
  ASSERT_TRUE(registry.add_world(some_world(along, 2), met_first));
  admitted(registry, {{along, 1}});
  EXPECT_EQ(registry.met_worlds().size(), 3u) << "the own one, and two";
  EXPECT_EQ(registry.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}, {met_first, 0}, {met_second, 0}}));
  ASSERT_TRUE(registry.add_world(some_world(along, 5))) << "another one has its number by now";
  EXPECT_EQ(registry.world(along)->size, 5u);
  Table used = registry.make_table(admitted(registry, {{along, 4}}));
  EXPECT_FALSE(registry.add_world(some_world(along, 2), met_first)) << "it is there";
  used.disconnect();
  for (Table& each : tables) each.disconnect();
}

TEST_F(Introducers, are_remembered_by_who_meets_them_one_after_the_other) {
  for (const bool one_goes_first : {true, false}) {
    Table first = join_world(met_first);
    Table second = join_world(met_second);
    if (!one_goes_first) std::swap(first, second);
    first.disconnect();
    EXPECT_EQ(references(registry, along), 0);
    EXPECT_TRUE(registry.lpid_of({along, 1}));
    second.disconnect();
    EXPECT_EQ(references(registry, along), -1);
  }
}

TEST_F(Introducers, of_one_remote_group_are_all_remembered) {
  std::vector<Table> tables = meet_both(true);
  WorldRegistry first(some_world(met_first, 1), 0);
  WorldRegistry second(some_world(met_second, 1), 0);
  for (WorldRegistry* each : {&first, &second}) ASSERT_TRUE(each->add_world(some_world(along, 2)));
  TestSide near({&registry});
  TestSide far({&first, &second});
  ASSERT_TRUE(*join(near, far)[0][0]);
  tables[0].disconnect();
  EXPECT_EQ(references(registry, along), 0);
  tables[1].disconnect();
  EXPECT_EQ(references(registry, along), -1);
}

TEST_F(Introducers, do_not_take_along_a_world_that_was_met_in_person) {
  std::vector<Table> tables = meet_both(true);
  ASSERT_TRUE(registry.add_world(some_world(along, 2)));
  registry.add_introducer(along, met_first);
  tables[0].disconnect();
  EXPECT_EQ(references(registry, along), 0);
}

TEST_F(Introducers, that_are_not_known_bring_nothing) {
  std::vector<Table> tables = meet_both(true);
  ASSERT_TRUE(registry.add_world(some_world(along, 2), met_first));
  registry.add_introducer(along, WorldId{9});
  tables[0].disconnect();
  EXPECT_EQ(references(registry, along), -1);
}

}  // namespace
}  // namespace comex::groups
