// For which lists a refused one was meant: those that are the same but where it is wrong.
#include "worlds/agreement/refusal.h"

#include <gtest/gtest.h>

namespace comex::worlds {
namespace {

using List = std::vector<ListedMember>;

ListedMember member(std::uint32_t rank, std::uint32_t endpoint = groups::process_itself) {
  return {{0, rank}, endpoint};
}
// Entries below zero name nobody.
ReadList read(std::initializer_list<int> ranks) {
  ReadList list;
  for (const int rank : ranks) {
    if (rank < 0) {
      list.add_nobody("rank " + std::to_string(rank));
    } else {
      list.add(member(static_cast<std::uint32_t>(rank)));
    }
  }
  return list;
}

TEST(RefusedList, was_meant_as_lists_that_are_the_same_but_for_its_wrong_entry) {
  const List meant{member(0), member(1), member(2)};
  for (const ReadList& list :
       {read({-1, 1, 2}), read({0, -7, 2}), read({0, 1, -1}), read({0, 1, 1}), read({0, 0, 2})})
    EXPECT_TRUE(list.refused().was_meant_as(meant)) << list.refused().text.data();
  for (const ReadList& list : {read({0, 2, -1}), read({0, 1}), read({0, 1, 2, -1}), read({-1, -1, 2}),
                               read({1, 1, 2}), read({-1}), read({})})
    EXPECT_FALSE(list.refused().was_meant_as(meant)) << list.refused().text.data();
}

TEST(RefusedList, was_not_meant_as_one_of_other_endpoints) {
  ReadList list;
  list.add(member(0, 4));
  list.add_nobody("rank 9");
  EXPECT_TRUE(list.refused().was_meant_as(List{member(0, 4), member(1)}));
  EXPECT_FALSE(list.refused().was_meant_as(List{member(0, 5), member(1)}));
  EXPECT_FALSE(list.refused().was_meant_as(List{member(0), member(1)}));
}

TEST(RefusedList, that_nobody_could_read_was_meant_as_none) {
  EXPECT_FALSE(RefusedList().was_meant_as(List{}));
  EXPECT_FALSE(RefusedList().was_meant_as(List{member(0)}));
}

TEST(RefusedList, is_told_as_it_was_written) {
  EXPECT_STREQ(read({1, -7, 1}).refused().text.data(), "{(0,1) rank -7 (0,1)}");
}

}  // namespace
}  // namespace comex::worlds
