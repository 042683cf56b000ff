// A leader and its members in calls that end and begin again at any time, their words looked at whenever
// chance has it. All that can happen is gone through: groups come about on all at once, and none hangs.
#include "worlds/agreement/roll_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace comex::worlds {
namespace {

// One way: words in order, and a place where a newer one covers an older one.
template <class Word>
class Mail {
 public:
  void send(const Word& word) { under_way_.push_back({word.kind, word.call, word.context}); }
  bool arrives() {
    if (under_way_.empty()) return false;
    place_ = under_way_.front();
    under_way_.pop_front();
    return true;
  }
  std::optional<Word> take() {
    const auto taken = std::exchange(place_, std::nullopt);
    if (!taken) return std::nullopt;
    return Word{std::get<0>(*taken), std::get<1>(*taken), std::get<2>(*taken)};
  }
  friend auto operator<=>(const Mail&, const Mail&) = default;

 private:
  using Short = std::tuple<typename Word::Kind, std::uint64_t, std::uint64_t>;
  std::deque<Short> under_way_;
  std::optional<Short> place_;
};

using Groups = std::vector<std::uint64_t>;  // contexts

struct Member {
  explicit Member(int may_give_up) : patience(may_give_up) { begin(); }

  void begin() {
    answer = RollAnswer(++call);
    to_leader.send(answer.come());
  }
  // As Founding: where the leader's call has failed this one fails with it, or waits for its next.
  void look(bool fails) {
    const auto word = from_leader.take();
    if (!word) return;
    const bool was_leaving = answer.is_bound();
    if (const auto reply = answer.hear(*word)) to_leader.send(*reply);
    if (answer.is_made()) {
      groups.push_back(answer.context());
      begin();
    } else if (answer.is_off() && (was_leaving || fails)) {
      begin();
    } else if (answer.is_off()) {
      to_leader.send(answer.come());
    }
  }
  void give_up() {
    if (patience == 0 || answer.is_bound()) return;
    --patience;
    to_leader.send(answer.leave());
    if (!answer.is_bound()) begin();
  }
  friend auto operator<=>(const Member&, const Member&) = default;

  Mail<MembersWord> to_leader;
  Mail<LeadersWord> from_leader;
  int patience;
  std::uint64_t call = 0;
  RollAnswer answer{0};
  Groups groups;
};

// All of them, as values: where they are is all that matters for what can follow.
struct Founders {
  Founders(std::size_t size, int may_give_up) : members(size, Member(may_give_up)), patience(may_give_up) {}

  void look() {
    const bool is_new = !roll.is_open();
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (roll.is_awaited(rank)) hear(rank);
    }
    if (is_new && roll.have_all_come()) {
      roll.open(groups.size() + 1);
      for (std::uint32_t rank = 1; rank < size(); ++rank) hear(rank);
    }
    if (!roll.is_open() || !roll.have_all_come()) return;
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (const auto offer = roll.offer(rank)) tell(rank, *offer);
    }
    if (!roll.is_settled()) return;
    groups.push_back(roll.context());
    end(LeadersWord::made);
  }
  void give_up() {
    if (patience == 0) return;
    --patience;
    end(LeadersWord::off);
  }
  friend auto operator<=>(const Founders&, const Founders&) = default;

  std::vector<Member> members;
  int patience;
  Groups groups;

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(members.size()) + 1; }
  void hear(std::uint32_t rank) {
    const auto word = members[rank - 1].to_leader.take();
    if (!word) return;
    if (const auto reply = roll.hear(rank, *word)) tell(rank, *reply);
  }
  void tell(std::uint32_t rank, const LeadersWord& word) { members[rank - 1].from_leader.send(word); }
  void end(LeadersWord::Kind kind) {
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (const auto word = roll.last_word(rank, kind)) tell(rank, *word);
    }
    roll = RollCall(size());
  }

  RollCall roll{static_cast<std::uint32_t>(members.size()) + 1};
};

// None has a group that others have not, or will not have.
bool is_well(const Founders& founders) {
  const auto has_the_leaders = [&](const Member& member) {
    const Groups& mine = member.groups;
    return mine.size() <= founders.groups.size() &&
           std::equal(mine.begin(), mine.end(), founders.groups.begin());
  };
  return std::ranges::all_of(founders.members, has_the_leaders);
}

// Wherever they are, if nobody gives up any more: all have one group more than the leader has now.
bool come_together(Founders founders, bool fails) {
  constexpr int most_rounds = 30;
  const std::size_t wanted = founders.groups.size() + 1;
  for (int round = 0; round < most_rounds; ++round) {
    bool have_all = founders.groups.size() >= wanted;
    for (Member& member : founders.members) {
      do member.look(fails);
      while (member.from_leader.arrives());
      have_all = have_all && member.groups.size() >= wanted;
    }
    if (have_all) return is_well(founders);
    for (Member& member : founders.members) member.to_leader.arrives();
    founders.look();
  }
  return false;
}

class Walk {
 public:
  // Until there are as many groups.
  Walk(const Founders& first, std::size_t most_groups) : most_groups_(most_groups) { reach(first); }

  std::size_t states() const { return seen_.size(); }
  // True when all went well.
  bool goes_on() {
    while (!open_.empty()) {
      const Founders here = *open_.back();
      open_.pop_back();
      if (!is_well(here) || !come_together(here, true) || !come_together(here, false)) return false;
      if (here.groups.size() < most_groups_) step_from(here);
    }
    return true;
  }

 private:
  void reach(const Founders& founders) {
    const auto [at, is_new] = seen_.insert(founders);
    if (is_new) open_.push_back(&*at);
  }
  template <class Move>
  void reach_by(Founders founders, const Move& move) {
    move(founders);
    reach(founders);
  }
  void step_from(const Founders& here) {
    reach_by(here, [](Founders& all) { all.look(); });
    reach_by(here, [](Founders& all) { all.give_up(); });
    for (std::size_t i = 0; i < here.members.size(); ++i) {
      reach_by(here, [&](Founders& all) { all.members[i].to_leader.arrives(); });
      reach_by(here, [&](Founders& all) { all.members[i].from_leader.arrives(); });
      reach_by(here, [&](Founders& all) { all.members[i].look(true); });
      reach_by(here, [&](Founders& all) { all.members[i].look(false); });
      reach_by(here, [&](Founders& all) { all.members[i].give_up(); });
    }
  }
  std::size_t most_groups_;
  std::set<Founders> seen_;
  std::vector<const Founders*> open_;
};

void expect_that_all_goes_well(const Founders& founders, std::size_t most_groups) {
  Walk walk(founders, most_groups);
  EXPECT_TRUE(walk.goes_on()) << "after " << walk.states() << " states";
  EXPECT_GT(walk.states(), 1000U) << "it has not gone far";
}

TEST(RollCall, of_two_brings_both_into_one_group_after_the_other_whoever_gives_up_and_when) {
  expect_that_all_goes_well(Founders(1, 3), 2);
}

TEST(RollCall, of_three_brings_all_into_one_group_whoever_gives_up_and_when) {
  expect_that_all_goes_well(Founders(2, 1), 1);
}

constexpr std::uint64_t context = 77;

RollCall opened_for(std::uint64_t call) {
  RollCall roll(2);
  EXPECT_FALSE(roll.hear(1, {MembersWord::comes, call, 0}));
  EXPECT_TRUE(roll.have_all_come());
  roll.open(context);
  const auto offer = roll.offer(1);
  EXPECT_TRUE(offer && offer->kind == LeadersWord::offer && offer->call == call);
  EXPECT_FALSE(roll.offer(1)) << "it has one";
  return roll;
}

TEST(RollCall, of_the_leader_alone_is_settled_when_it_is_open) {
  RollCall roll(1);
  EXPECT_TRUE(roll.have_all_come());
  EXPECT_FALSE(roll.is_settled()) << "it has no context";
  roll.open(context);
  EXPECT_TRUE(roll.is_settled());
}

TEST(RollCall, counts_nobody_who_has_given_up_when_the_offer_comes) {
  RollCall roll = opened_for(5);
  roll.hear(1, {});
  EXPECT_EQ(roll.missing(), std::vector<std::uint32_t>{1});
  roll.hear(1, {MembersWord::comes, 6, 0});
  EXPECT_FALSE(roll.is_settled());
  EXPECT_EQ(roll.offer(1)->call, 6U) << "it is asked anew, in its next call";
  roll.hear(1, {MembersWord::stays, 6, context});
  EXPECT_TRUE(roll.is_settled());
}

TEST(RollCall, does_not_take_that_one_stays_for_another_call_or_context) {
  RollCall roll = opened_for(5);
  roll.hear(1, {MembersWord::stays, 4, context});
  EXPECT_FALSE(roll.is_settled());
  roll.hear(1, {MembersWord::stays, 5, context - 1});
  EXPECT_FALSE(roll.is_settled());
  roll.hear(1, {MembersWord::stays, 5, context});
  EXPECT_TRUE(roll.is_settled());
}

TEST(RollCall, lets_go_who_asks_for_it_and_misses_it_then) {
  RollCall roll = opened_for(5);
  const auto answer = roll.hear(1, {MembersWord::leaves, 5, context});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, LeadersWord::off);
  EXPECT_EQ(answer->call, 5U);
  EXPECT_EQ(roll.first_awaited(), 1U);
  EXPECT_FALSE(roll.last_word(1, LeadersWord::off)) << "it has had one";
}

TEST(RollAnswer, ends_at_once_as_long_as_it_has_not_said_that_it_stays) {
  RollAnswer answer(5);
  answer.come();
  EXPECT_EQ(answer.leave().kind, MembersWord::gone);
  EXPECT_FALSE(answer.is_bound());
  EXPECT_FALSE(answer.hear({LeadersWord::offer, 5, context})) << "it is gone";
}

TEST(RollAnswer, that_stays_is_bound_until_the_leader_has_answered) {
  for (const LeadersWord::Kind last : {LeadersWord::made, LeadersWord::off}) {
    RollAnswer answer(5);
    answer.come();
    EXPECT_EQ(answer.hear({LeadersWord::offer, 5, context})->kind, MembersWord::stays);
    EXPECT_EQ(answer.leave().kind, MembersWord::leaves);
    EXPECT_TRUE(answer.is_bound());
    EXPECT_FALSE(answer.hear({LeadersWord::off, 4, context})) << "that is of an earlier call";
    EXPECT_TRUE(answer.is_bound());
    answer.hear({last, 5, context});
    EXPECT_FALSE(answer.is_bound());
    EXPECT_EQ(answer.is_made(), last == LeadersWord::made);
  }
}

TEST(RollAnswer, does_not_hear_offers_to_calls_that_are_over) {
  RollAnswer answer(5);
  answer.come();
  EXPECT_FALSE(answer.hear({LeadersWord::offer, 4, context}));
  EXPECT_TRUE(answer.hear({LeadersWord::offer, 5, context}));
}

}  // namespace
}  // namespace comex::worlds
