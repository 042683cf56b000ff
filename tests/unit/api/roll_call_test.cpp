// A leader and its members in calls that end and begin again at any time, their words looked at whenever
// chance has it: whatever happens, a group comes about on all at once.
#include "api/worlds/roll_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <random>
#include <utility>
#include <vector>

namespace comex::api {
namespace {

using Random = std::mt19937;

// One way: words in order, and a place where a newer one covers an older one.
template <class Word>
class Mail {
 public:
  void send(const Word& word) { under_way_.push_back(word); }
  bool arrives() {
    if (under_way_.empty()) return false;
    place_ = under_way_.front();
    under_way_.pop_front();
    return true;
  }
  std::optional<Word> take() { return std::exchange(place_, std::nullopt); }

 private:
  std::deque<Word> under_way_;
  std::optional<Word> place_;
};

class Member {
 public:
  explicit Member(std::uint64_t first_call, int patience) : call_(first_call), patience_(patience) {
    begin();
  }

  void look(Random& random) {
    const auto word = from_leader.take();
    if (!word) return;
    const bool was_leaving = answer_.is_bound();
    if (const auto reply = answer_.hear(*word)) to_leader.send(*reply);
    if (!answer_.is_off()) return;
    if (was_leaving || random() % 2 == 0) {
      ++call_;
      begin();
    } else {
      to_leader.send(answer_.come());
    }
  }
  void give_up() {
    if (patience_ == 0 || answer_.is_made() || answer_.is_bound()) return;
    --patience_;
    to_leader.send(answer_.leave());
    if (answer_.is_bound()) return;
    ++call_;
    begin();
  }
  bool is_made() const { return answer_.is_made(); }
  std::uint64_t context() const { return answer_.context(); }

  Mail<MembersWord> to_leader;
  Mail<LeadersWord> from_leader;

 private:
  void begin() {
    answer_ = RollAnswer(call_);
    to_leader.send(answer_.come());
  }

  std::uint64_t call_;
  int patience_;
  RollAnswer answer_{0};
};

class Leader {
 public:
  Leader(std::vector<Member>& members, int patience) : members_(members), patience_(patience) {}

  void look() {
    if (is_made_) return;
    for (std::uint32_t rank = 1; rank <= members_.size(); ++rank) {
      if (!roll_.is_awaited(rank)) continue;
      const auto word = members_[rank - 1].to_leader.take();
      if (!word) continue;
      if (const auto reply = roll_.hear(rank, *word)) tell(rank, *reply);
    }
    if (!roll_.have_all_come()) return;
    if (!roll_.is_open()) roll_.open(++contexts_);
    for (std::uint32_t rank = 1; rank <= members_.size(); ++rank) {
      if (const auto offer = roll_.offer(rank)) tell(rank, *offer);
    }
    if (!roll_.is_settled()) return;
    is_made_ = true;
    tell_all(LeadersWord::made);
  }
  void give_up() {
    if (patience_ == 0 || is_made_) return;
    --patience_;
    tell_all(LeadersWord::off);
    roll_ = RollCall(size());
  }
  bool is_made() const { return is_made_; }
  std::uint64_t context() const { return roll_.context(); }

 private:
  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()) + 1; }
  void tell(std::uint32_t rank, const LeadersWord& word) { members_[rank - 1].from_leader.send(word); }
  void tell_all(LeadersWord::Kind kind) {
    for (std::uint32_t rank = 1; rank < size(); ++rank) {
      if (const auto word = roll_.last_word(rank, kind)) tell(rank, *word);
    }
  }

  std::vector<Member>& members_;
  int patience_;
  RollCall roll_{size()};
  bool is_made_ = false;
  std::uint64_t contexts_ = 0;
};

// True when all have one group in the end; a walk that does not end is one that hangs.
bool all_come_together(Random& random) {
  constexpr int most_steps = 5000;
  std::vector<Member> members{Member(100, 2), Member(200, 2)};
  Leader leader(members, 2);
  for (int step = 0; step < most_steps; ++step) {
    Member& member = members[random() % members.size()];
    const std::array<std::function<void()>, 6> moves{
        [&] { member.to_leader.arrives(); }, [&] { member.from_leader.arrives(); },
        [&] { member.look(random); },        [&] { leader.look(); },
        [&] { member.give_up(); },           [&] { leader.give_up(); }};
    // To give up is rarer than to go on.
    const std::size_t dice = random() % 20;
    moves[dice < 16 ? dice % 4 : 4 + dice % 2]();
    const auto has_it = [&](const Member& each) {
      return each.is_made() && each.context() == leader.context();
    };
    if (leader.is_made() && std::ranges::all_of(members, has_it)) return true;
    if (!leader.is_made() && std::ranges::any_of(members, &Member::is_made)) return false;
  }
  return false;
}

TEST(RollCall, brings_all_into_one_group_whoever_gives_up_and_comes_again_and_when) {
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    ASSERT_TRUE(all_come_together(random)) << "seed " << seed;
  }
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
}  // namespace comex::api
