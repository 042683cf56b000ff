#include <gtest/gtest.h>

#include "api/worlds/meetings.h"

namespace comex::api {
namespace {

TEST(Setbacks, tell_news_of_a_failure_from_what_is_left_of_an_earlier_one) {
  const Setbacks::Pair pair{0, {7, 3}, 0};
  Setbacks mine;
  Setbacks theirs;
  for (int call = 0; call < 3; ++call) {
    const std::uint64_t news = theirs.next(pair);
    EXPECT_FALSE(mine.is_old(pair, news));
    mine.count(pair);
    theirs.count(pair);
    EXPECT_TRUE(mine.is_old(pair, news)) << "both have failed since";
  }
}

TEST(Setbacks, are_counted_for_each_pair_of_requesters) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  setbacks.count(pair);
  for (const Setbacks::Pair& other :
       {Setbacks::Pair{1, {7, 3}, 0}, Setbacks::Pair{0, {7, 4}, 0}, Setbacks::Pair{0, {7, 3}, 1}}) {
    EXPECT_EQ(setbacks.next(other), 1u);
  }
  EXPECT_EQ(setbacks.next(pair), 2u);
}

}  // namespace
}  // namespace comex::api
