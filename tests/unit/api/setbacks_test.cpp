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

// Of a process that was refused, and one that may have waited for it or not.
struct Refused {
  const Setbacks::Pair pair{0, {7, 3}, 0};
  Setbacks refused;
  Setbacks other;
  Refused() { refused.count_refusal(pair); }
};

TEST(Setbacks, doubt_news_with_the_number_of_a_refusal) {
  Refused both;
  EXPECT_TRUE(both.refused.is_doubtful(both.pair, both.other.next(both.pair)));
  EXPECT_FALSE(both.refused.is_old(both.pair, both.other.next(both.pair)));
  both.other.count(both.pair);
  EXPECT_FALSE(both.refused.is_doubtful(both.pair, both.other.next(both.pair)))
      << "the other has failed in that call, and in one more";
  EXPECT_FALSE(both.refused.is_old(both.pair, both.other.next(both.pair)));
}

TEST(Setbacks, agree_again_after_a_refusal_in_a_call_of_both) {
  Refused both;
  const std::uint64_t news = both.other.next(both.pair);
  both.other.count(both.pair);
  both.refused.share_refusals(both.pair, news);
  EXPECT_TRUE(both.refused.is_old(both.pair, news));
  EXPECT_EQ(both.refused.next(both.pair), both.other.next(both.pair));
}

TEST(Setbacks, agree_again_after_refusals_that_the_other_took_no_part_in) {
  Refused both;
  both.refused.count_refusal(both.pair);
  const std::uint64_t news = both.other.next(both.pair);
  both.other.count(both.pair);
  both.refused.count(both.pair);
  both.refused.forget_refusals(both.pair);
  EXPECT_TRUE(both.refused.is_old(both.pair, news));
  EXPECT_EQ(both.refused.next(both.pair), both.other.next(both.pair));
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
