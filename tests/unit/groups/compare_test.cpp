// All outcomes of comparing two handles, the cases 1a to 3 among them, and the three separate questions.
#include "groups/compare.h"

#include <gtest/gtest.h>

#include "unit/groups/worlds.h"

namespace comex::groups {
namespace {

using testing::admitted;
using testing::some_world;

enum Outcome { ident, congruent_, similar, unequal, aliased, congruent_alias, similar_alias, unequal_alias };

class Compare : public ::testing::Test {
 protected:
  // Ranks of a group as (process, endpoint).
  std::unique_ptr<Group> group(std::uint64_t context,
                               const std::vector<std::pair<Lpid, std::uint32_t>>& members, int my_rank) {
    std::vector<Lpid> lpids;
    std::vector<std::uint32_t> ids;
    for (const auto& [lpid, id] : members) {
      lpids.push_back(lpid);
      ids.push_back(id);
    }
    return std::make_unique<Group>(context, registry.make_table(lpids), my_rank, Endpoints(ids));
  }

  WorldRegistry registry{some_world(0, 2), 0};
  // Two endpoints each of processes 0 and 1; handles of process 0.
  const std::vector<std::pair<Lpid, std::uint32_t>> four{{0, 1}, {0, 2}, {1, 1}, {1, 2}};
  const std::vector<std::pair<Lpid, std::uint32_t>> permuted{{0, 2}, {0, 1}, {1, 2}, {1, 1}};
  const std::vector<std::pair<Lpid, std::uint32_t>> fewer{{0, 2}, {0, 1}};
};

TEST_F(Compare, of_one_group_is_ident_or_aliased) {
  const auto zero = group(10, four, 0);
  const auto one = group(10, four, 1);
  EXPECT_EQ(compare(*zero, *zero), ident);
  EXPECT_EQ(compare(*zero, *one), aliased);
  EXPECT_EQ(compare(*zero, *one, Detail::basic), aliased);
}

TEST_F(Compare, of_a_duplicate_is_congruent_with_or_without_alias) {
  const auto zero = group(10, four, 0);
  const auto dup_zero = group(11, four, 0);
  const auto dup_one = group(11, four, 1);
  EXPECT_EQ(compare(*zero, *dup_zero), congruent_);      // 1a
  EXPECT_EQ(compare(*zero, *dup_one), congruent_alias);  // 1b
  EXPECT_EQ(compare(*zero, *dup_one, Detail::basic), congruent_);
}

TEST_F(Compare, of_a_permutation_is_similar_with_or_without_alias) {
  const auto zero = group(10, four, 0);
  const auto permuted_zero = group(12, permuted, 0);
  const auto permuted_one = group(12, permuted, 1);
  EXPECT_EQ(compare(*zero, *permuted_zero), similar_alias);  // 2a: handles by new rank
  EXPECT_EQ(compare(*zero, *permuted_one), similar);         // 2b
  EXPECT_EQ(compare(*zero, *permuted_zero, Detail::basic), similar);
}

TEST_F(Compare, of_other_members_is_unequal_with_or_without_alias) {
  const auto zero = group(10, four, 0);
  const auto fewer_zero = group(13, fewer, 0);
  const auto fewer_one = group(13, fewer, 1);
  EXPECT_EQ(compare(*zero, *fewer_zero), unequal_alias);  // 3
  EXPECT_EQ(compare(*zero, *fewer_one), unequal);
  EXPECT_EQ(compare(*zero, *fewer_zero, Detail::basic), unequal);
}

TEST_F(Compare, asks_context_relation_and_endpoint_each_for_itself) {
  const auto zero = group(10, four, 0);
  const auto one = group(10, four, 1);
  const auto permuted_one = group(12, permuted, 1);
  EXPECT_TRUE(same_context(*zero, *one));
  EXPECT_FALSE(same_context(*zero, *permuted_one));
  EXPECT_FALSE(same_endpoint(*zero, *one));
  EXPECT_TRUE(same_endpoint(*zero, *permuted_one));
  EXPECT_EQ(relation(*zero, *one), Relation::identical);  // whatever the endpoint
  EXPECT_EQ(relation(*zero, *permuted_one), Relation::similar);
}

TEST_F(Compare, finds_an_endpoint_again_and_else_its_process) {
  const auto all = group(10, four, 0);
  const auto turned = group(12, permuted, 0);
  const auto some = group(13, fewer, 0);
  const Group processes(14, registry.make_world_table(), 0);
  const auto find = [](const Group& of, std::uint32_t rank, const Group& in) {
    return counterpart({of.members(), of.endpoints()}, rank, {in.members(), in.endpoints()});
  };
  EXPECT_EQ(find(*all, 0, *turned), 1);
  EXPECT_EQ(find(*turned, 3, *all), 2);
  EXPECT_EQ(find(*all, 2, *some), -1);
  EXPECT_EQ(find(*all, 3, processes), 1);
  EXPECT_EQ(find(processes, 1, *all), 2);
  const auto third = group(17, {{0, 3}}, 0);
  EXPECT_EQ(find(*third, 0, *all), -1) << "its process has other endpoints there";
}

TEST_F(Compare, tells_endpoints_from_the_processes_they_belong_to) {
  const Group processes(14, registry.make_world_table(), 0);
  const auto endpoints = group(15, {{0, 1}, {1, 1}}, 0);
  EXPECT_EQ(compare(processes, *endpoints), unequal_alias);
  const Group others(16, registry.make_world_table(), 0);
  EXPECT_EQ(compare(processes, others), congruent_);
}

TEST_F(Compare, of_inter_groups_is_the_weaker_of_both_sides) {
  ASSERT_TRUE(registry.add_world(some_world(1, 3)));
  const std::vector<Lpid> lpids = admitted(registry, {{1, 0}, {1, 1}, {1, 2}});
  const auto inter = [&](std::uint64_t context, std::vector<Lpid> local, std::vector<Lpid> remote) {
    return std::make_unique<Group>(context, registry.make_table(local), 0, Endpoints(),
                                   registry.make_table(remote), 1);
  };
  const auto one = inter(20, {0, 1}, lpids);
  const auto same = inter(21, {0, 1}, lpids);
  const auto turned = inter(22, {0, 1}, {lpids[2], lpids[1], lpids[0]});
  const auto smaller = inter(23, {1, 0}, {lpids[0]});
  EXPECT_EQ(compare(*one, *one), ident);
  EXPECT_EQ(compare(*one, *same), congruent_);
  EXPECT_EQ(compare(*one, *turned), similar);
  EXPECT_EQ(compare(*one, *smaller), unequal);
  const Group local(24, registry.make_table(std::vector<Lpid>{0, 1}), 0);
  EXPECT_EQ(compare(*one, local), unequal);
}

TEST(Endpoints, follow_the_parents_in_their_order) {
  const Lpid parents[] = {4, 0, 2};
  const EndpointArguments all_arguments[] = {{2, 1}, {0, 9}, {3, 5}};
  const EndpointLayout layout = lay_out_endpoints(parents, all_arguments, 2);
  EXPECT_EQ(layout.members, (std::vector<Lpid>{4, 4, 2, 2, 2}));
  EXPECT_EQ(layout.ids, (std::vector<std::uint32_t>{1, 2, 5, 6, 7}));
  EXPECT_EQ(layout.first_rank, 2u);
  const std::uint32_t ranks[] = {4, 0};
  EXPECT_EQ(Endpoints(layout.ids).subset(ranks).of(0), 7u);
  EXPECT_EQ(Endpoints().subset(ranks).of(1), process_itself);
}

}  // namespace
}  // namespace comex::groups
