// Numbers of worlds and launches, and the four ranks of a process.
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

// Worlds of such sizes, one after the other, on a machine that is cut into blocks.
void give_no_node_rank_twice(std::uint32_t blocks, std::span<const std::uint32_t> sizes) {
  std::vector<std::set<std::int32_t>> given(blocks);
  std::int32_t on_machine = 0;
  for (std::uint32_t job = 0; job < sizes.size(); ++job) {
    const std::int32_t first = first_node_rank({.blocks = blocks}, {on_machine, job});
    for (std::uint32_t process = 0; process < sizes[job]; ++process) {
      const std::uint32_t block = process % blocks;  // as many in each as there are in contiguous ones
      const auto local = static_cast<std::int32_t>(process / blocks);
      EXPECT_TRUE(given[block].insert(first + local).second) << job << " " << block << " " << local;
    }
    on_machine += static_cast<std::int32_t>(sizes[job]);
  }
}

TEST(NodeRanks, of_virtual_hosts_go_on_where_the_first_world_ended) {
  EXPECT_EQ(first_node_rank({.blocks = 2}, {.processes = 0, .jobs = 0}), 0);
  EXPECT_EQ(first_node_rank({.blocks = 2}, {.processes = 4, .jobs = 1}), 2);
  EXPECT_EQ(first_node_rank({.blocks = 2}, {.processes = 3, .jobs = 1}), 2);
  EXPECT_EQ(first_node_rank({.blocks = 4}, {.processes = 12, .jobs = 1}), 3);
}

TEST(NodeRanks, of_virtual_hosts_are_given_once_whatever_the_sizes_of_worlds) {
  for (const std::uint32_t blocks : {1u, 2u, 3u, 7u}) {
    give_no_node_rank_twice(blocks, std::vector<std::uint32_t>{4, 4, 4});
    give_no_node_rank_twice(blocks, std::vector<std::uint32_t>{2, 1, 1, 1, 1});
    give_no_node_rank_twice(blocks, std::vector<std::uint32_t>{3, 5, 1, 2, 13, 1, 8});
  }
}

TEST(NodeRanks, of_listed_virtual_hosts_follow_their_share_of_each_world) {
  EXPECT_EQ(first_node_rank({.blocks = 0, .ranks = 1, .of_machine = 4}, {.processes = 8, .jobs = 2}), 2);
  EXPECT_EQ(first_node_rank({.blocks = 0, .ranks = 3, .of_machine = 4}, {.processes = 8, .jobs = 2}), 6);
}

}  // namespace
}  // namespace comex::groups
