// What founders believe of each other's words, walked through call by call, without messages that travel.
#include <gtest/gtest.h>

#include "unit/worlds/setbacks_founder.h"

namespace comex::worlds {
namespace {

class Calls : public testing::Test {
 protected:
  // Both wait with lists that differ; who believes that first gives up.
  void both_learn_that_lists_differ(Verdict first = Verdict::believe, Verdict second = Verdict::believe) {
    a_.begin(list, {&b_});
    b_.begin(other_list, {&a_});
    a_.wait();
    EXPECT_EQ(b_.hear(a_), Verdict::answer) << "what it has not answered may be left of an earlier call";
    EXPECT_EQ(a_.hear(b_), first);
    if (first == Verdict::doubt) {
      EXPECT_EQ(b_.hear(a_), second);
      b_.give_up(&a_);
      EXPECT_EQ(a_.hear(b_), first) << "until the time for it is over";
      a_.give_up(&b_);
    } else {
      a_.give_up(&b_);
      EXPECT_EQ(b_.hear(a_), second);
      b_.give_up(&a_);
    }
  }
  // In a call of its own, which the other knows nothing of.
  void fails_alone(Founder& founder, Founder& other) {
    founder.begin(other_list, {&other});
    founder.give_up(nullptr);
  }
  void both_come(Founder& one, Founder& other) {
    one.begin(list, {&other});
    other.begin(list, {&one});
    one.succeed();
    other.succeed();
  }

  Founder a_{0}, b_{1}, c_{2};
};

TEST_F(Calls, with_lists_that_differ_fail_on_both_again_and_again) {
  for (int call = 0; call < 3; ++call) both_learn_that_lists_differ();
}

TEST_F(Calls, with_lists_that_differ_fail_on_both_though_one_calls_again_at_once) {
  for (const bool waits_again : {false, true}) {
    a_.begin(list, {&b_});
    b_.begin(other_list, {&a_});
    a_.wait();
    EXPECT_EQ(b_.hear(a_), Verdict::answer);
    EXPECT_EQ(a_.hear(b_), Verdict::believe);
    a_.give_up(&b_);
    a_.begin(list, {&b_});
    if (waits_again) a_.wait();
    EXPECT_EQ(b_.hear(a_), Verdict::believe);
    b_.give_up(&a_);
    b_.begin(list, {&a_});
    EXPECT_EQ(b_.hear(a_), Verdict::nothing);
    EXPECT_EQ(a_.hear(b_), Verdict::nothing);
    a_.succeed();
    b_.succeed();
  }
}

TEST_F(Calls, that_were_refused_are_past_for_who_hears_of_that_and_of_the_next_one_together) {
  b_.begin(list, {&a_});
  a_.is_refused({&b_});
  a_.begin(list, {&b_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing);
  EXPECT_FALSE(b_.is_behind(a_));
}

TEST_F(Calls, with_lists_that_differ_fail_on_both_after_failures_of_one_alone) {
  for (const int failures : {1, 2, 3}) {
    for (int each = 0; each < failures; ++each) fails_alone(a_, b_);
    both_learn_that_lists_differ(Verdict::doubt);
    both_learn_that_lists_differ();
  }
}

TEST_F(Calls, with_lists_that_differ_fail_on_both_after_failures_of_the_other_alone) {
  for (int each = 0; each < 3; ++each) fails_alone(b_, a_);
  both_learn_that_lists_differ(Verdict::believe, Verdict::doubt);
}

TEST_F(Calls, of_one_who_was_refused_alone_are_kept_from_waiting_by_the_next_refusal) {
  a_.is_refused({&b_});
  a_.begin(list, {&b_});
  a_.wait();
  b_.is_refused({&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::doubt) << "it comes next if this is of the call that was refused here";
  a_.give_up(&b_);
  both_learn_that_lists_differ();
}

TEST_F(Calls, that_both_were_refused_in_are_told_from_the_next) {
  a_.is_refused({&b_});
  b_.is_refused({&a_});
  a_.begin(list, {&b_});
  a_.wait();
  EXPECT_EQ(a_.hear(b_), Verdict::remark);
  b_.begin(list, {&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::nothing);
  a_.succeed();
  b_.succeed();
  both_learn_that_lists_differ();
}

// One was refused and goes on while the other still waits in the same call, with another list than the next.
TEST_F(Calls, of_one_who_was_refused_wait_for_the_other_to_fail_in_the_same_call) {
  a_.is_refused({&b_});
  b_.begin(other_list, {&a_});
  a_.begin(list, {&b_});
  b_.wait();
  a_.wait();
  EXPECT_EQ(a_.hear(b_), Verdict::answer);
  EXPECT_EQ(b_.hear(a_), Verdict::believe);
  b_.give_up(&a_);
  EXPECT_EQ(a_.hear(b_), Verdict::doubt);
  b_.begin(list, {&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::nothing) << "it has begun the next call";
  a_.succeed();
  b_.succeed();
  both_learn_that_lists_differ();
}

TEST_F(Calls, of_one_who_was_refused_with_another_list_wait_whether_it_comes) {
  a_.begin(list, {&b_});
  b_.is_refused({&a_}, other_list);
  EXPECT_EQ(a_.hear(b_), Verdict::doubt);
  b_.begin(list, {&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::nothing);
}

TEST_F(Calls, that_a_refusal_ended_are_told_from_the_next) {
  a_.begin(list, {&b_});
  b_.is_refused({&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::believe);
  a_.give_up(&b_);
  b_.begin(list, {&a_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing) << "that was about the call that was refused";
  a_.begin(list, {&b_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing);
}

TEST_F(Calls, of_one_who_is_refused_again_and_again_fail_as_often) {
  a_.begin(list, {&b_});
  for (int refusal = 0; refusal < 3; ++refusal) b_.is_refused({&a_});
  EXPECT_EQ(a_.hear(b_), Verdict::believe);
  for (int call = 1; call < 3; ++call) {
    a_.give_up(&b_);
    EXPECT_TRUE(a_.is_behind(b_)) << "after " << call;
    a_.begin(list, {&b_});
    EXPECT_EQ(a_.hear(b_), Verdict::nothing);
  }
  a_.give_up(&b_);
  EXPECT_FALSE(a_.is_behind(b_));
  a_.begin(list, {&b_});
  b_.begin(list, {&a_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing) << "it has paid for what happened here";
  a_.succeed();
  b_.succeed();
  both_learn_that_lists_differ();
}

TEST_F(Calls, of_one_who_gave_up_and_was_refused_then_fail_twice) {
  fails_alone(b_, a_);
  b_.is_refused({&a_});
  a_.begin(list, {&b_});
  EXPECT_EQ(a_.hear(b_), Verdict::believe);
  a_.give_up(&b_);
  EXPECT_TRUE(a_.is_behind(b_));
}

TEST_F(Calls, are_not_behind_what_the_other_had_before_its_last_call) {
  for (int refusal = 0; refusal < 3; ++refusal) b_.is_refused({&a_});
  both_come(a_, b_);  // the second's word of that is never looked at
  b_.is_refused({&a_});
  a_.begin(list, {&b_});
  EXPECT_EQ(a_.hear(b_), Verdict::believe);
  a_.give_up(&b_);
  EXPECT_FALSE(a_.is_behind(b_));
}

TEST_F(Calls, of_one_list_are_not_behind_what_went_before) {
  fails_alone(b_, a_);
  fails_alone(b_, a_);
  a_.begin(list, {&b_});
  b_.begin(list, {&a_});
  a_.wait();
  b_.hear(a_);
  b_.give_up(nullptr);
  EXPECT_EQ(a_.hear(b_), Verdict::believe) << "it gave up the very call";
  a_.give_up(&b_);
  EXPECT_FALSE(a_.is_behind(b_));
}

TEST_F(Calls, do_not_hear_what_is_left_of_those_that_both_gave_up) {
  a_.begin(list, {&b_});
  b_.begin(list, {&a_});
  a_.give_up(nullptr);
  b_.give_up(nullptr);
  b_.begin(list, {&a_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing);
  a_.begin(list, {&b_});
  a_.give_up(nullptr);
  EXPECT_EQ(b_.hear(a_), Verdict::believe) << "and hear what comes then";
}

TEST_F(Calls, of_one_list_fail_on_who_comes_when_the_other_has_given_up) {
  a_.begin(list, {&b_});
  a_.give_up(nullptr);
  b_.begin(list, {&a_});
  EXPECT_EQ(b_.hear(a_), Verdict::believe);
}

TEST_F(Calls, of_other_lists_that_were_given_up_may_be_past) {
  fails_alone(a_, b_);
  b_.begin(list, {&a_});
  EXPECT_EQ(b_.hear(a_), Verdict::doubt);
  a_.begin(list, {&b_});
  EXPECT_EQ(b_.hear(a_), Verdict::nothing) << "it has come";
}

TEST_F(Calls, of_one_list_do_not_keep_each_other_from_it) {
  a_.begin(list, {&b_});
  b_.begin(list, {&a_});
  a_.wait();
  EXPECT_EQ(b_.hear(a_), Verdict::nothing);
  b_.wait();
  EXPECT_EQ(a_.hear(b_), Verdict::nothing);
}

TEST_F(Calls, of_one_who_has_failed_more_often_are_not_doubted) {
  fails_alone(a_, b_);
  fails_alone(b_, a_);
  fails_alone(b_, a_);
  both_learn_that_lists_differ(Verdict::believe, Verdict::doubt);
}

// The list of the first names the second, whose list names the third alone.
TEST_F(Calls, of_three_fail_on_those_who_name_each_other_and_leave_no_hole) {
  a_.begin(list, {&b_, &c_});
  b_.begin(other_list, {&c_});
  c_.begin(list, {&a_, &b_});
  b_.wait();
  EXPECT_EQ(c_.hear(b_), Verdict::answer);
  EXPECT_EQ(b_.hear(c_), Verdict::believe);
  b_.give_up(&c_);
  EXPECT_EQ(c_.hear(b_), Verdict::believe);
  c_.give_up(&b_);
  EXPECT_EQ(a_.hear(c_), Verdict::believe);
  a_.give_up(&c_);  // counts a setback with the second, which does not
  both_learn_that_lists_differ(Verdict::doubt);
  fails_alone(a_, b_);
  a_.begin(list, {&b_});
  b_.is_refused({&a_});
  EXPECT_NE(a_.hear(b_), Verdict::nothing)
      << "the second has said something of the call that the first is in";
}

TEST_F(Calls, that_came_to_a_group_leave_no_doubts) {
  fails_alone(a_, b_);
  both_come(a_, b_);
  both_learn_that_lists_differ();
}

TEST(Setbacks, of_another_list_for_others_are_remarked_and_no_more_even_at_the_same_time) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  Said said{.kind = Said::gave_up, .number = 1, .heard = 7, .is_of_others = true};
  EXPECT_EQ(setbacks.hear(pair, 7, said), Verdict::remark);
  EXPECT_FALSE(setbacks.is_behind(pair));
  setbacks.fail(pair, {no_bridge}, false);
  EXPECT_EQ(setbacks.hear(pair, 8, said), Verdict::nothing) << "it is past";
}

TEST(Setbacks, for_what_this_process_did_matter_in_the_call_in_which_it_did_that) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  Said said{.kind = Said::gave_up, .number = 5, .heard = 6, .is_same_list = true, .is_of_me = true};
  EXPECT_EQ(setbacks.hear(pair, 7, said), Verdict::nothing);
  said.heard = 7;
  EXPECT_EQ(setbacks.hear(pair, 7, said), Verdict::believe);
}

TEST(Setbacks, leave_nobody_behind_who_knows_that_the_other_is_in_a_call) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  setbacks.hear(pair, 7, {.kind = Said::refused, .number = 3, .is_same_list = true});
  setbacks.fail(pair, {no_bridge}, true);
  EXPECT_TRUE(setbacks.is_behind(pair));
  setbacks.meet(pair);
  EXPECT_FALSE(setbacks.is_behind(pair));
}

TEST(Setbacks, are_counted_for_each_pair_of_requesters) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  setbacks.fail(pair, {no_bridge}, true);
  for (const Setbacks::Pair& other :
       {Setbacks::Pair{1, {7, 3}, 0}, Setbacks::Pair{0, {7, 4}, 0}, Setbacks::Pair{0, {7, 3}, 1}}) {
    EXPECT_EQ(setbacks.next(other), 1u);
  }
  EXPECT_EQ(setbacks.next(pair), 2u);
}

TEST(Setbacks, are_taken_back_once_wherever_they_were_told) {
  Setbacks setbacks;
  const Setbacks::Pair pair{0, {7, 3}, 0};
  EXPECT_TRUE(setbacks.take_back(pair).empty());
  setbacks.fail(pair, {no_bridge}, true);
  setbacks.fail(pair, {3}, true);
  EXPECT_EQ(setbacks.take_back(pair), (std::set<BridgeId>{no_bridge, 3}));
  EXPECT_TRUE(setbacks.take_back(pair).empty());
}

}  // namespace
}  // namespace comex::worlds
