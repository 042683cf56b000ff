// Each world of a launch has a number that no other one has.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "groups/world_identity.h"

namespace comex::groups {
namespace {

TEST(WorldNumber, begins_with_the_triples_of_small_products) {
  struct Row {
    WorldCounts counts;
    std::uint32_t number;
  };
  const Row rows[] = {
      {{0, 0, 0}, 0},  {{1, 0, 0}, 1},  {{0, 1, 0}, 2},  {{0, 0, 1}, 3}, {{2, 0, 0}, 4},
      {{0, 2, 0}, 5},  {{0, 0, 2}, 6},  {{3, 0, 0}, 7},  {{1, 1, 0}, 8}, {{1, 0, 1}, 9},
      {{0, 3, 0}, 10}, {{0, 1, 1}, 11}, {{0, 0, 3}, 12},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(number_of(row.counts), row.number)
        << row.counts.job << " " << row.counts.lowest_rank << " " << row.counts.opening;
  }
}

// Every triple up to a product, and so many numbers: each is taken once and none is left out.
TEST(WorldNumber, is_one_of_its_own_for_each_of_many_triples_and_leaves_no_gap) {
  constexpr std::uint32_t product = 600;
  std::vector<bool> is_taken;
  for (std::uint32_t job = 1; job <= product; ++job) {
    for (std::uint32_t rank = 1; rank <= product / job; ++rank) {
      for (std::uint32_t opening = 1; opening <= product / job / rank; ++opening) {
        const auto number = number_of({job - 1, rank - 1, opening - 1});
        ASSERT_TRUE(number);
        if (*number >= is_taken.size()) is_taken.resize(*number + 1);
        ASSERT_FALSE(is_taken[*number])
            << job << " " << rank << " " << opening << " have the number of others";
        is_taken[*number] = true;
      }
    }
  }
  EXPECT_EQ(std::count(is_taken.begin(), is_taken.end(), false), 0);
}

// Later products come after all of the earlier ones, so that those of two products never meet.
TEST(WorldNumber, of_the_last_of_a_product_comes_before_the_first_of_the_next) {
  for (const std::uint32_t product : {2u, 1000u, 65535u, 131072u, numbered_product - 1}) {
    const auto last = number_of({0, 0, product - 1});
    const auto first = number_of({product, 0, 0});
    ASSERT_TRUE(last && first);
    EXPECT_EQ(*last + 1, *first) << product;
  }
}

TEST(WorldNumber, has_room_for_many_jobs_or_ranks_or_openings) {
  const WorldCounts fit[] = {{65534, 0, 0},
                             {0, 131072, 0},
                             {0, 0, 100000},
                             {127, 0, 1500},
                             {0, 65536, 2},
                             {99, 99, 18},
                             {0, 0, numbered_product - 1}};
  for (const WorldCounts& counts : fit) {
    const auto number = number_of(counts);
    ASSERT_TRUE(number) << counts.job << " " << counts.lowest_rank << " " << counts.opening;
    EXPECT_LT(*number, world_numbers);
  }
}

TEST(WorldNumber, is_refused_where_none_is_left) {
  constexpr std::uint32_t most = ~0u;
  const WorldCounts beyond[] = {{0, 0, numbered_product}, {world_numbers, 0, 0}, {4095, 4095, 0},
                                {most, most, most},       {0, most, 1},          {65535, 65535, 65535}};
  for (const WorldCounts& counts : beyond) {
    EXPECT_EQ(number_of(counts), std::nullopt)
        << counts.job << " " << counts.lowest_rank << " " << counts.opening;
  }
}

}  // namespace
}  // namespace comex::groups
