#include "worlds/connect/ports/life_watch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace comex::worlds {
namespace {

using Worlds = std::vector<WorldId>;

std::vector<LivenessPlan> plans(const Worlds& worlds) {
  std::vector<LivenessPlan> found;
  for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) found.push_back(plan_links(worlds, rank));
  return found;
}

TEST(LivenessPlan, deals_the_larger_world_over_the_smaller) {
  const auto found = plans({1, 1, 2, 2, 2, 2, 2});
  EXPECT_EQ(found[0].awaits, 3U);
  EXPECT_EQ(found[1].awaits, 2U);
  EXPECT_TRUE(found[0].connects_to.empty());
  for (std::uint32_t rank = 2; rank < 7; ++rank) {
    EXPECT_EQ(found[rank].awaits, 0U);
    EXPECT_EQ(found[rank].connects_to, (std::vector<std::uint32_t>{rank % 2}));
  }
}

TEST(LivenessPlan, of_equal_worlds_the_higher_number_connects) {
  const auto found = plans({5, 3, 5, 3});
  EXPECT_EQ(found[0].connects_to, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(found[2].connects_to, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(found[1].awaits, 1U);
  EXPECT_EQ(found[3].awaits, 1U);
}

TEST(LivenessPlan, ties_nobody_of_one_world) {
  for (const LivenessPlan& plan : plans({4, 4, 4})) {
    EXPECT_TRUE(plan.connects_to.empty());
    EXPECT_EQ(plan.awaits, 0U);
  }
}

// Whatever world dies, every process of the others has a link that ends.
TEST(LivenessPlan, ties_every_process_to_each_other_world_and_as_many_come_as_are_awaited) {
  const Worlds layouts[] = {{1, 2}, {1, 2, 3}, {1, 1, 1, 2, 3, 3}, {3, 1, 2, 1, 3, 1, 1, 2}, {9, 8, 7, 6, 6}};
  for (const Worlds& worlds : layouts) {
    const auto found = plans(worlds);
    std::vector<std::set<WorldId>> reached(worlds.size());
    std::vector<std::uint32_t> come(worlds.size());
    for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) {
      for (const std::uint32_t other : found[rank].connects_to) {
        reached[rank].insert(worlds[other]);
        reached[other].insert(worlds[rank]);
        ++come[other];
      }
    }
    const std::set<WorldId> all(worlds.begin(), worlds.end());
    for (std::uint32_t rank = 0; rank < worlds.size(); ++rank) {
      EXPECT_EQ(come[rank], found[rank].awaits) << rank;
      EXPECT_EQ(reached[rank].size(), all.size() - 1) << rank;
      EXPECT_FALSE(reached[rank].contains(worlds[rank]));
    }
  }
}

}  // namespace
}  // namespace comex::worlds
