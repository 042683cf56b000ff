#include "worlds/connect/side.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

SideFacts side(std::uint64_t launch) {
  SideFacts facts;
  facts.launch = {launch, 1};
  facts.has_name_server = true;
  return facts;
}

std::string error_of(const SideFacts& a, const SideFacts& b) {
  const Status checked = check_sides(a, b, "start a server");
  return checked ? std::string() : checked.failure().text;
}

TEST(Side, reads_back_what_it_has_packed) {
  SideFacts facts = side(1);
  facts.progress_ranks = {{7, 4}, {8, 0}};
  facts.mpi = "a library";
  const Result<SideFacts> read = unpack_side(pack_fields(facts));
  ASSERT_TRUE(read) << read.failure().text;
  EXPECT_EQ(read->launch, (Id128{1, 1}));
  EXPECT_TRUE(read->has_name_server);
  EXPECT_EQ(read->mpi, "a library");
  EXPECT_EQ(read->progress_ranks, facts.progress_ranks);
}

TEST(Side, refuses_every_piece_of_a_packet_that_is_not_whole) {
  const Bytes whole = pack_fields(side(1));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_FALSE(unpack_side(std::span(whole).first(bytes))) << bytes;
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(unpack_side(longer));
}

TEST(Side, of_one_launch_needs_no_name_server) {
  SideFacts a = side(1);
  SideFacts b = side(1);
  a.has_name_server = b.has_name_server = false;
  EXPECT_EQ(error_of(a, b), "");
}

TEST(Side, of_another_launch_needs_a_name_server) {
  SideFacts a = side(1);
  SideFacts b = side(2);
  EXPECT_EQ(error_of(a, b), "");
  b.has_name_server = false;
  EXPECT_NE(error_of(a, b).find("the connecting side has none; start a server"), std::string::npos);
  EXPECT_NE(error_of(b, a).find("the accepting side has none; start a server"), std::string::npos);
}

TEST(Side, of_another_launch_needs_no_name_server_where_mpi_needs_none) {
  SideFacts a = side(1);
  SideFacts b = side(2);
  a.has_name_server = b.has_name_server = false;
  EXPECT_TRUE(check_sides(a, b, ""));
}

TEST(Side, of_another_launch_needs_the_same_mpi_library) {
  SideFacts a = side(1);
  SideFacts b = side(2);
  a.mpi = "one";
  b.mpi = "other";
  EXPECT_NE(error_of(a, b).find("different MPI libraries: one and other"), std::string::npos);
}

TEST(Side, locks_in_one_order_of_worlds_and_ranks_whoever_accepts) {
  SideFacts a = side(1);  // spans worlds 0 and 2, on a wire where 2 comes first
  a.progress_ranks = {{2, 0}, {0, 5}, {0, 1}};
  SideFacts b = side(1);
  b.progress_ranks = {{3, 0}, {1, 4}};
  for (const bool a_accepts : {true, false}) {
    std::vector<ProgressRankId> order;
    std::vector<bool> is_of_a;
    const auto turns = a_accepts ? lock_turns(a, b) : lock_turns(b, a);
    for (const auto& [rank, is_of_accepting] : turns) {
      order.push_back(rank);
      is_of_a.push_back(is_of_accepting == a_accepts);
    }
    EXPECT_EQ(order, (std::vector<ProgressRankId>{{0, 1}, {0, 5}, {1, 4}, {2, 0}, {3, 0}}));
    EXPECT_EQ(is_of_a, (std::vector<bool>{true, true, false, true, false}));
  }
}

TEST(Side, locks_who_serves_both_sides_once) {
  SideFacts a = side(1);
  a.progress_ranks = {{0, 1}, {0, 2}};
  SideFacts b = side(1);
  b.progress_ranks = {{0, 2}, {1, 0}};
  using Turns = std::map<ProgressRankId, bool>;
  EXPECT_EQ(lock_turns(b, a), (Turns{{{0, 1}, false}, {{0, 2}, true}, {{1, 0}, true}}));
  EXPECT_TRUE(lock_turns(side(1), side(1)).empty());
}

}  // namespace
}  // namespace comex::worlds
