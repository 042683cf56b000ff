// Two founders whose lists differ: all orders in which their words can be said, arrive and be heard.
#include <gtest/gtest.h>

#include <array>

#include "unit/worlds/setbacks_founder.h"

namespace comex::worlds {
namespace {

// Two who first call with lists that differ, then with one: each gives up and calls again as soon as it
// knows.
class TwoLists {
 public:
  enum Move { tell, arrive, hear };

  TwoLists() {
    for (Side& side : sides_) side.founder.be_slow();
    begin(0, list);
    begin(1, other_list);
  }
  // False when that would change nothing.
  bool move(std::size_t at, Move move) {
    constexpr int most_told = 2;
    Side& side = sides_[at];
    Side& other = sides_[1 - at];
    if (move == arrive) return side.founder.word_arrives(other.founder);
    if (move == tell) {
      if (side.told == most_told) return false;
      ++side.told;
      side.founder.wait();
      return true;
    }
    if (!side.founder.has_mail(other.founder)) return false;
    if (side.founder.hear(other.founder) != Verdict::believe) return true;
    ++side.failures;
    side.founder.give_up(&other.founder);
    begin(at, list);
    return true;
  }
  bool is_well() const { return sides_[0].failures <= 1 && sides_[1].failures <= 1; }
  // All words arrive, in time.
  bool both_fail_once() {
    for (Side& side : sides_) side.told = 0;
    for (int round = 0; round < 6; ++round) {
      for (std::size_t at = 0; at < 2; ++at) {
        if (round < 2) move(at, tell);
        while (move(1 - at, arrive)) move(1 - at, hear);
        move(1 - at, hear);
      }
    }
    return sides_[0].failures == 1 && sides_[1].failures == 1;
  }

 private:
  struct Side {
    Founder founder;
    int told = 0;
    int failures = 0;
  };
  void begin(std::size_t at, std::uint64_t digest) {
    sides_[at].told = 0;
    sides_[at].founder.begin(digest, {&sides_[1 - at].founder});
  }

  std::array<Side, 2> sides_{Side{Founder(0)}, Side{Founder(1)}};
};

using Moves = std::vector<std::pair<std::size_t, TwoLists::Move>>;

int ways_on(Moves& moves, std::size_t most) {
  TwoLists two;
  for (const auto& [at, move] : moves) {
    if (!two.move(at, move)) return 0;
  }
  EXPECT_TRUE(two.is_well());
  if (!two.both_fail_once()) {
    ADD_FAILURE() << "after " << moves.size() << " moves";
    return 0;
  }
  int ways = 1;
  for (std::size_t at = 0; moves.size() < most && at < 2; ++at) {
    for (const TwoLists::Move move : {TwoLists::tell, TwoLists::arrive, TwoLists::hear}) {
      moves.emplace_back(at, move);
      ways += ways_on(moves, most);
      moves.pop_back();
      if (testing::Test::HasFailure()) return ways;
    }
  }
  return ways;
}

TEST(SetbacksOfTwo, with_lists_that_differ_are_one_for_each_in_whatever_order_words_are_said_and_heard) {
  constexpr std::size_t most_moves = 9;
  Moves moves;
  EXPECT_GT(ways_on(moves, most_moves), 1000);
}

}  // namespace
}  // namespace comex::worlds
