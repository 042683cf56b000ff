// Joining two groups: who learns what, in which order, with how many messages, and that both sides fail
// together.
#include "groups/joining.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "unit/groups/sides.h"

namespace comex::groups {
namespace {

using testing::join;
using testing::JoinResults;
using testing::references;
using testing::some_world;
using testing::TestSide;

// World 0 is {P0, P1}, world 1 is {P2}; P1 has spawned it.
class Joining : public ::testing::Test {
 protected:
  Joining() {
    met(p1, 1, 1);
    met(p2, 0, 2);
  }
  static void met(WorldRegistry& registry, WorldId world, std::uint32_t size) {
    EXPECT_TRUE(registry.add_world(some_world(world, size)));
    std::vector<Gpid> all;
    for (std::uint32_t rank = 0; rank < size; ++rank) all.push_back({world, rank});
    EXPECT_TRUE(registry.admit(all));
  }
  static void all_succeed(const std::array<JoinResults, 2>& results) {
    for (const JoinResults& side : results) {
      for (const auto& result : side) ASSERT_TRUE(*result) << result->failure().text;
    }
  }
  // Everybody has the same failure; gives its text.
  static std::string failure_of(const std::array<JoinResults, 2>& results) {
    std::set<std::string> texts;
    for (const JoinResults& side : results) {
      for (const auto& result : side) texts.insert(*result ? "success" : result->failure().text);
    }
    EXPECT_EQ(texts.size(), 1u) << *texts.rbegin();
    return *texts.begin();
  }

  WorldRegistry p0{some_world(0, 2), 0};
  WorldRegistry p1{some_world(0, 2), 1};
  WorldRegistry p2{some_world(1, 1), 0};
};

TEST_F(Joining, adds_the_spawned_process_to_who_did_not_know_it_and_nothing_to_the_spawned) {
  TestSide one({&p0});
  TestSide other({&p2});
  const auto results = join(one, other);
  all_succeed(results);
  EXPECT_EQ(p0.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}, {1, 0}}));
  EXPECT_EQ(p2.lpid_table(), (std::vector<Gpid>{{1, 0}, {0, 0}, {0, 1}}));
  EXPECT_EQ(results[0][0]->value().lpids, std::vector<Lpid>{2});
  EXPECT_EQ(results[1][0]->value().lpids, std::vector<Lpid>{1});
}

TEST_F(Joining, decides_once_who_is_low_and_takes_the_low_sides_context) {
  TestSide one({&p2});
  TestSide other({&p1, &p0});
  const auto results = join(one, other);
  all_succeed(results);
  EXPECT_FALSE(results[0][0]->value().is_low);
  for (const auto& member : results[1]) EXPECT_TRUE((*member)->is_low);
  for (const JoinResults& side : results) {
    for (const auto& member : side) EXPECT_EQ((*member)->context, 101u);
  }
  EXPECT_EQ(results[0][0]->value().remote, (std::vector<Gpid>{{0, 1}, {0, 0}}));
}

TEST_F(Joining, sends_no_world_that_all_know) {
  TestSide one({&p1});
  TestSide other({&p2});
  all_succeed(join(one, other));
  for (const TestSide* side : {&one, &other}) {
    EXPECT_EQ(side->swaps, 2);  // offer, verdict
    EXPECT_EQ(side->gathers, 1);
    EXPECT_EQ(side->broadcasts, 1);
  }
}

TEST_F(Joining, tells_members_of_worlds_that_only_their_leader_knows) {
  TestSide one{{&p0, &p1}, 1};
  TestSide other({&p2});
  all_succeed(join(one, other));
  EXPECT_EQ(p0.lpid_of({1, 0}).value(), 2);
  EXPECT_EQ(one.swaps, 3);  // offer, verdict, and whether all have learnt
}

TEST_F(Joining, tells_members_and_the_leader_of_worlds_that_only_a_member_knows) {
  WorldRegistry p3(some_world(0, 3), 2);
  WorldRegistry q0(some_world(0, 3), 0);
  met(p3, 5, 2);
  TestSide one{{&q0, &p3}, 0};
  WorldRegistry lone(some_world(6, 1), 0);
  TestSide other({&lone});
  all_succeed(join(one, other));
  EXPECT_EQ(references(q0, WorldId{5}), 0);
  EXPECT_EQ(references(lone, WorldId{5}), 0);
  EXPECT_EQ(references(lone, WorldId{0}), 0);
  EXPECT_EQ(lone.lpid_count(), 3u);  // itself and the remote group
}

// Connect over a group of one, then that as the peer of an inter-group of both whole worlds.
TEST_F(Joining, joins_whole_worlds_of_which_one_pair_has_met) {
  std::vector<std::unique_ptr<WorldRegistry>> a;
  std::vector<std::unique_ptr<WorldRegistry>> b;
  for (Worker worker = 0; worker < 3; ++worker)
    a.push_back(std::make_unique<WorldRegistry>(some_world(8, 3), worker));
  for (Worker worker = 0; worker < 2; ++worker)
    b.push_back(std::make_unique<WorldRegistry>(some_world(9, 2), worker));
  TestSide lone_a({a[1].get()});
  TestSide lone_b({b[0].get()});
  const auto first = join(lone_a, lone_b);
  all_succeed(first);
  Table pair = a[1]->make_table(first[0][0]->value().lpids);
  EXPECT_EQ(references(*a[1], WorldId{9}), 1);  // below its size

  TestSide all_a{{a[0].get(), a[1].get(), a[2].get()}, 1};
  TestSide all_b{{b[0].get(), b[1].get()}, 0};
  const auto second = join(all_a, all_b);
  all_succeed(second);
  EXPECT_EQ(a[2]->lpid_table(), (std::vector<Gpid>{{8, 0}, {8, 1}, {8, 2}, {9, 0}, {9, 1}}));
  EXPECT_EQ(b[1]->lpid_table(), (std::vector<Gpid>{{9, 0}, {9, 1}, {8, 0}, {8, 1}, {8, 2}}));
  EXPECT_EQ(b[0]->lpid_table(), (std::vector<Gpid>{{9, 0}, {9, 1}, {8, 1}, {8, 0}, {8, 2}}));
}

// Each member gathers and hears three times where worlds are described: names, descriptions, verdicts.
TEST_F(Joining, ends_at_whichever_step_the_own_group_is_gone) {
  for (int steps = 0; steps < 6; ++steps) {
    WorldRegistry q0{some_world(0, 2), 0};
    WorldRegistry q1{some_world(0, 2), 1};
    WorldRegistry q2{some_world(1, 1), 0};
    met(q1, 1, 1);
    met(q2, 0, 2);
    TestSide one{{&q0, &q1}, 1};
    TestSide other({&q2});
    one.steps_until_end = other.steps_until_end = steps;
    EXPECT_EQ(failure_of(join(one, other)), "the own group is gone") << steps;
    EXPECT_EQ(q0.lpid_count(), 2u) << steps;
  }
}

TEST_F(Joining, fails_on_both_sides_where_a_process_is_on_both) {
  WorldRegistry q1(some_world(0, 2), 1);
  TestSide one({&p0, &p1});
  TestSide other({&q1});
  const std::string text = failure_of(join(one, other));
  EXPECT_EQ(text, "process (0,1) is named twice; the sides of an inter-group have no process in common");
}

TEST_F(Joining, fails_on_both_sides_where_two_launches_have_one_manager) {
  WorldDescription stranger = some_world(3, 1);
  stranger.launch = {9, 9};
  WorldRegistry lone(stranger, 0);
  TestSide one({&p0, &p1});
  TestSide other({&lone});
  EXPECT_EQ(failure_of(join(one, other)),
            "two launches that meet have the process manager number 0; give each a value of "
            "its own with COMEX_MANAGER, from 0 to 255");
  EXPECT_EQ(references(lone, WorldId{0}), -1);
}

TEST_F(Joining, names_the_lowest_manager_that_two_launches_have_on_both_sides) {
  const auto world_of = [](std::uint32_t manager, std::uint64_t launch) {
    WorldDescription world = some_world(manager << 24, 1);
    world.launch = {launch, launch};
    return world;
  };
  WorldDescription two = world_of(5, 1);
  two.size = 2;
  WorldRegistry here(two, 0);
  WorldRegistry also_here(two, 1);
  WorldRegistry there(world_of(5, 2), 0);
  EXPECT_TRUE(also_here.add_world(world_of(3, 1)));
  EXPECT_TRUE(there.add_world(world_of(3, 2)));
  TestSide one({&here, &also_here});
  TestSide other({&there});
  EXPECT_NE(failure_of(join(one, other)).find("manager number 3;"), std::string::npos);
}

TEST_F(Joining, fails_on_both_sides_where_two_worlds_have_one_number) {
  WorldRegistry other_first(some_world(0, 2, 55), 0);
  TestSide one({&p0});
  TestSide other({&other_first});
  EXPECT_NE(failure_of(join(one, other)).find("COMEX_MANAGER"), std::string::npos);
}

TEST_F(Joining, forgets_worlds_that_came_along_with_the_one_that_introduced_them) {
  met(p2, 4, 2);
  TestSide one({&p0});
  TestSide other({&p2});
  const auto results = join(one, other);
  all_succeed(results);
  EXPECT_EQ(references(p0, WorldId{4}), 0);
  Table inter = p0.make_table(results[0][0]->value().lpids);
  inter.disconnect();
  EXPECT_EQ(references(p0, WorldId{4}), -1);
  EXPECT_EQ(references(p0, WorldId{1}), -1);
}

TEST_F(Joining, numbers_a_spawners_table_as_was_chosen) {
  for (const LpidOrder order : {LpidOrder::spawner, LpidOrder::parent}) {
    WorldRegistry spawner(some_world(0, 2), 1);
    WorldRegistry spawned(some_world(1, 1), 0);
    TestSide parents({&spawner});
    TestSide children({&spawned});
    parents.arguments.is_spawn = true;
    children.arguments.is_spawn = true;
    children.arguments.spawned_order = order;
    all_succeed(join(parents, children));
    const bool by_spawner = order == LpidOrder::spawner;
    const std::vector<Gpid> wanted = {{1, 0}, {0, by_spawner ? 0u : 1u}, {0, by_spawner ? 1u : 0u}};
    EXPECT_EQ(spawned.lpid_table(), wanted);
    EXPECT_EQ(spawner.lpid_table(), (std::vector<Gpid>{{0, 0}, {0, 1}, {1, 0}}));
  }
}

TEST_F(Joining, ends_for_all_where_the_other_leader_is_gone) {
  for (const int swaps : {0, 1, 2}) {
    TestSide one({&p0, &p1});
    TestSide other({&p2});
    one.swaps_until_end = swaps;
    other.swaps_until_end = swaps;
    EXPECT_EQ(failure_of(join(one, other)), "the other side is gone");
    EXPECT_EQ(references(p0, WorldId{1}), -1);
  }
}

// ---- cards ----

// A hook that knows cards by their process, and notes what it was asked and given.
struct Cards {
  std::vector<Gpid> collected;
  std::vector<Gpid> delivered;
  Gpid fails_at{99, 99};
  const WorldRegistry* registry = nullptr;
  bool converted_early = false;

  CardHook hook() {
    return {[this](Gpid gpid) -> Result<Bytes> {
              collected.push_back(gpid);
              if (gpid == fails_at) return caller_error("no card");
              return Packer().value(gpid).take();
            },
            [this](Gpid gpid, const Bytes& card) -> Status {
              delivered.push_back(gpid);
              if (gpid == fails_at) return caller_error("no room for a card");
              const Result<Lpid> lpid = registry->lpid_of(gpid);
              converted_early = converted_early || !lpid || lpid.value() != no_lpid;
              const bool is_it = Unpacker(card).value<Gpid>() == gpid;
              return is_it ? Status() : caller_error("another's card");
            }};
  }
};

class JoiningWithCards : public Joining {
 protected:
  JoiningWithCards() {
    here.registry = &p0;
    there.registry = &p2;
  }
  Cards here;
  Cards there;
};

TEST_F(JoiningWithCards, carries_those_of_unknown_worlds_before_ids_are_converted) {
  TestSide one({&p0}, 0, {here.hook()});
  TestSide other({&p2}, 0, {there.hook()});
  all_succeed(join(one, other));
  EXPECT_TRUE(here.collected.empty());  // world 0 is known there
  EXPECT_EQ(there.collected, std::vector<Gpid>{(Gpid{1, 0})});
  EXPECT_EQ(here.delivered, there.collected);
  EXPECT_FALSE(here.converted_early);
  EXPECT_TRUE(there.delivered.empty());
}

// World 5 is known to a member that does not lead; its own leader and the other side's lack it.
TEST_F(JoiningWithCards, carries_those_that_only_a_member_has_to_both_leaders) {
  WorldRegistry leader(some_world(0, 3), 0);
  WorldRegistry member(some_world(0, 3), 2);
  WorldRegistry lone(some_world(6, 1), 0);
  met(member, 5, 2);
  Cards members;
  here.registry = &leader;
  members.registry = &member;
  there.registry = &lone;
  TestSide one({&leader, &member}, 0, {here.hook(), members.hook()});
  TestSide other({&lone}, 0, {there.hook()});
  all_succeed(join(one, other));
  using Gpids = std::vector<Gpid>;
  EXPECT_EQ(members.collected, (Gpids{{5, 0}, {5, 1}}));
  EXPECT_EQ(here.collected, (Gpids{{0, 0}, {0, 1}, {0, 2}}));
  EXPECT_EQ(there.delivered, (Gpids{{0, 0}, {0, 1}, {0, 2}, {5, 0}, {5, 1}}));
  EXPECT_EQ(here.delivered, (Gpids{{5, 0}, {5, 1}, {6, 0}}));
  EXPECT_EQ(members.delivered, (Gpids{{6, 0}}));
  EXPECT_FALSE(here.converted_early || members.converted_early || there.converted_early);
}

TEST_F(JoiningWithCards, carries_none_between_worlds_that_know_each_other) {
  TestSide one({&p1}, 0, {here.hook()});
  TestSide other({&p2}, 0, {there.hook()});
  all_succeed(join(one, other));
  EXPECT_TRUE(here.collected.empty() && there.collected.empty());
  EXPECT_EQ(one.swaps, 2);
}

TEST_F(JoiningWithCards, carries_none_where_one_leader_has_no_hook) {
  TestSide one({&p0});
  TestSide other({&p2}, 0, {there.hook()});
  all_succeed(join(one, other));
  EXPECT_TRUE(there.collected.empty());
}

TEST_F(JoiningWithCards, fails_on_both_sides_where_a_card_cannot_be_had) {
  there.fails_at = {1, 0};
  TestSide one({&p0}, 0, {here.hook()});
  TestSide other({&p2}, 0, {there.hook()});
  EXPECT_EQ(failure_of(join(one, other)), "no card");
  EXPECT_EQ(references(p0, WorldId{1}), -1);
  EXPECT_EQ(p0.lpid_count(), 2u);
}

TEST_F(JoiningWithCards, fails_on_both_sides_where_all_cards_are_more_than_can_be_sent) {
  TestSide one({&p0}, 0, {here.hook()});
  TestSide other({&p2}, 0, {there.hook()});
  other.most_exchanged_bytes = 20;
  const std::string failure = failure_of(join(one, other));
  EXPECT_TRUE(failure.starts_with("the cards and descriptions of worlds that the other side lacks take "));
  EXPECT_TRUE(failure.ends_with(" bytes; at most 20 can be sent")) << failure;
  EXPECT_EQ(references(p0, WorldId{1}), -1);
}

TEST_F(JoiningWithCards, fails_on_both_sides_where_a_card_is_not_taken) {
  here.fails_at = {1, 0};
  WorldRegistry q1(some_world(0, 2), 1);
  TestSide one({&q1, &p0}, 0, {here.hook(), here.hook()});
  one.hooks[0] = there.hook();
  there.registry = &q1;
  TestSide other({&p2}, 0, {there.hook()});
  EXPECT_EQ(failure_of(join(one, other)), "no room for a card");
  EXPECT_EQ(references(p0, WorldId{1}), -1);
  EXPECT_EQ(references(q1, WorldId{1}), -1);
}

}  // namespace
}  // namespace comex::groups
