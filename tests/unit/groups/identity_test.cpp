// Numbers of worlds and launches.
#include <gtest/gtest.h>

#include <set>

#include "groups/world_identity.h"

namespace comex::groups {
namespace {

std::uint32_t id_of(const LaunchFacts& facts) {
  return decide_world_id(facts).value();
}

TEST(WorldIdentity, numbers_the_first_worlds_of_two_jobs_from_nought_below_the_manager) {
  EXPECT_EQ(id_of({}), 0u);
  EXPECT_EQ(id_of({.job = 1}), 0u);
  EXPECT_EQ(id_of({.job = 2}), 1u);
  EXPECT_EQ(id_of({.manager = 3, .job = 2}), (3u << 24) + 1);
  EXPECT_EQ(manager_of(id_of({.manager = 255, .job = 65535})), 255u);
}

TEST(WorldIdentity, differs_in_what_came_out_alike_before) {
  const WorldId world = id_of({.job = 1});
  EXPECT_NE(world, id_of({.job = 1, .opening = 1}));
  EXPECT_NE(world, id_of({.job = 1, .lowest_rank = 2}));
  EXPECT_NE(id_of({.job = 1, .lowest_rank = 5}), id_of({.job = 129, .lowest_rank = 5}));
  EXPECT_NE(id_of({.job = 2, .lowest_rank = 0}), id_of({.job = 1, .lowest_rank = 1}));
}

TEST(WorldIdentity, counts_the_jobs_before_the_own_one) {
  EXPECT_EQ(jobs_before({}), 0u);
  EXPECT_EQ(jobs_before({.manager = 3, .job = 1, .lowest_rank = 2, .opening = 7}), 0u);
  EXPECT_EQ(jobs_before({.job = 4}), 3u);
}

TEST(WorldIdentity, is_refused_where_no_number_is_left) {
  EXPECT_TRUE(decide_world_id({.job = 1, .opening = numbered_product - 1}));
  const Result<WorldId> none = decide_world_id({.job = 40, .lowest_rank = 99, .opening = 49999});
  ASSERT_FALSE(none);
  EXPECT_EQ(
      none.failure().text,
      "no number is left for this world, the 50000. that rank 99 of job 39 of the launch opens: (job + 1) "
      "x (rank + 1) x openings may be up to 199943; start another launch for further worlds");
}

TEST(WorldIdentity, of_a_spawned_job_differs_from_that_of_every_other_spawn) {
  std::set<std::uint32_t> jobs{1};  // the launch's own
  for (const WorldId world : {0u, 1u, 3u, (3u << 24) + 2u}) {
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      for (std::uint32_t spawns = 0; spawns < 20; ++spawns) {
        const auto job = job_of_spawn(world, rank, spawns);
        ASSERT_TRUE(job);
        EXPECT_TRUE(jobs.insert(*job).second) << world << " " << rank << " " << spawns;
      }
    }
  }
}

TEST(WorldIdentity, of_a_spawned_job_is_refused_when_no_number_is_left) {
  EXPECT_EQ(job_of_spawn(0, 0, world_numbers), std::nullopt);
  EXPECT_EQ(job_of_spawn(20000, 0, 0), std::nullopt) << "its world would have no number";
}

TEST(WorldIdentity, takes_a_launch_id_from_the_launcher_or_draws_it) {
  const Id128 drawn{1, 2};
  EXPECT_EQ(decide_launch_id("", drawn), drawn);
  EXPECT_EQ(decide_launch_id("77.0;tcp://a:1", drawn), decide_launch_id("77.0;tcp://a:1", {}));
  EXPECT_NE(decide_launch_id("77.0;tcp://a:1", drawn), decide_launch_id("77.0;tcp://a:2", drawn));
}

TEST(WorldIdentity, takes_members_of_two_worlds_for_no_single_world) {
  EXPECT_TRUE(is_single_world(std::vector<Gpid>{{3, 0}, {3, 7}}));
  EXPECT_FALSE(is_single_world(std::vector<Gpid>{{3, 0}, {4, 0}, {3, 1}}));
  EXPECT_TRUE(is_single_world({}));
}

}  // namespace
}  // namespace comex::groups
