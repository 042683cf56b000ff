// Contexts of groups and ids of allocations: each is given once, and the last is followed by none.
#include <gtest/gtest.h>

#include <set>

#include "groups/contexts.h"

namespace comex::groups {
namespace {

TEST(Contexts, of_groups_within_a_world_are_those_of_one_worker_and_one_group) {
  for (const std::uint32_t workers : {1u, 2u, 3u, 7u, 64u}) {
    std::set<std::uint64_t> given;
    constexpr std::uint64_t groups = 100;
    for (std::uint32_t me = 0; me < workers; ++me) {
      for (std::uint64_t nth = 0; nth < groups; ++nth) given.insert(made_context(workers, me, nth).value());
    }
    EXPECT_EQ(given.size(), workers * groups);
    EXPECT_EQ(*given.begin(), first_made_context);
  }
}

// Numbers of a high worker must not reach the drawn ones, or be cut off in ids.
TEST(Contexts, of_the_highest_workers_stay_below_those_that_are_drawn) {
  for (const std::uint32_t workers : {32768u, 65536u, 1u << 20, 1u << 31}) {
    const std::uint64_t last = most_made_contexts(workers) - 1;
    EXPECT_LT(made_context(workers, workers - 1, last).value(), first_drawn_context);
    EXPECT_EQ(made_context(workers, workers - 1, last + 1), std::nullopt);
    EXPECT_EQ(made_context(workers, 0, last + 1), std::nullopt);
    EXPECT_EQ(made_context(workers, 0, 1), made_context(workers, workers - 1, 0).value() + 1);
  }
  EXPECT_EQ(most_made_contexts(1u << 20), (1u << 17) - 1);
}

TEST(Contexts, that_are_drawn_have_the_upper_half) {
  EXPECT_EQ(drawn_context(0), first_drawn_context);
  EXPECT_EQ(drawn_context(~std::uint64_t{0}), (std::uint64_t{1} << 38) - 1);
}

TEST(AllocationIds, of_a_group_never_reach_those_of_the_next_context) {
  EXPECT_EQ(allocation_id(16, 1), (std::uint64_t{16} << 26) + 1);
  EXPECT_EQ(allocation_id((std::uint64_t{1} << 38) - 1, (1u << 26) - 1), ~std::uint64_t{0});
  EXPECT_EQ(allocation_id(16, 1u << 26), std::nullopt);
}

TEST(AllocationIds, are_numbered_again_only_by_the_group_they_are_of) {
  const std::uint64_t id = allocation_id(17, 5).value();
  EXPECT_EQ(nth_allocation(17, id), 5u);
  EXPECT_EQ(nth_allocation(16, id), std::nullopt);
  EXPECT_EQ(nth_allocation(18, id), std::nullopt);
  EXPECT_EQ(nth_allocation(0, allocation_id(0, 1).value()), 1u);
}

}  // namespace
}  // namespace comex::groups
