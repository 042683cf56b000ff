// What is outstanding without a handle, counted apart for each target.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "nb/implicit_set.h"

namespace comex::nb {
namespace {

static_assert(!std::is_copy_constructible_v<ImplicitSet> && !std::is_copy_assignable_v<ImplicitSet>);
static_assert(!std::is_move_constructible_v<ImplicitSet> && !std::is_move_assignable_v<ImplicitSet>);

TEST(ImplicitSet, waits_for_one_target_or_for_those_of_a_group) {
  ImplicitSet set;
  EXPECT_TRUE(set.is_empty());
  Completion& three = set.of(3);
  Completion& nine = set.of(9);
  three.add();
  nine.add();
  EXPECT_FALSE(set.is_empty());
  EXPECT_TRUE(set.done(4));
  EXPECT_FALSE(set.done(3));
  EXPECT_FALSE(set.all_done(set.mark(), [](Lpid) { return true; }));
  EXPECT_TRUE(set.all_done(set.mark(), [](Lpid lpid) { return lpid == 5; }));
  three.complete();
  EXPECT_TRUE(set.all_done(set.mark(), [](Lpid lpid) { return lpid == 3; }));
  EXPECT_FALSE(set.all_done(set.mark(), [](Lpid) { return true; }));
  nine.fail();
  nine.complete();
  EXPECT_TRUE(set.all_done(set.mark(), [](Lpid) { return true; }));
  EXPECT_FALSE(set.take_failures([](Lpid lpid) { return lpid == 3; }));
  EXPECT_TRUE(set.take_failures([](Lpid) { return true; }));
  EXPECT_FALSE(set.is_empty()) << "before all_done() has looked";
  EXPECT_FALSE(set.take_failures([](Lpid) { return true; }));
  EXPECT_TRUE(set.all_done(set.mark(), [](Lpid) { return true; }));
  EXPECT_TRUE(set.is_empty());
}

// The set remembers the target of the last operation: another one's must not be taken for it.
TEST(ImplicitSet, counts_two_targets_apart_that_take_turns) {
  ImplicitSet set;
  for (int round = 0; round < 3; ++round) {
    set.of(3).add();
    set.of(9).add(2);
  }
  set.of(3).complete(2);
  EXPECT_FALSE(set.done(3));
  set.of(3).complete();
  EXPECT_TRUE(set.done(3));
  EXPECT_FALSE(set.done(9));
  set.of(9).complete(5);
  EXPECT_FALSE(set.done(9));
  set.of(9).fail();
  set.of(9).complete();
  EXPECT_TRUE(set.done(9));
  EXPECT_FALSE(set.take_failure(3));
  EXPECT_TRUE(set.take_failure(9));
}

TEST(ImplicitSet, finds_a_target_again_that_was_forgotten_while_another_had_its_turn) {
  ImplicitSet set;
  const auto all = [](Lpid) { return true; };
  set.of(3).add();
  set.of(3).complete();
  EXPECT_TRUE(set.all_done(set.mark(), all));  // no longer in the list
  set.of(9).add();
  set.of(9).complete();
  EXPECT_TRUE(set.all_done(set.mark(), all));
  set.of(9).add();
  Completion& three = set.of(3);
  three.add();
  set.of(9).complete();
  EXPECT_FALSE(set.all_done(set.mark(), all));
  EXPECT_FALSE(set.all_done(set.mark(), [](Lpid lpid) { return lpid == 3; }));
  three.complete();
  EXPECT_TRUE(set.all_done(set.mark(), all));
}

bool every(Lpid) {
  return true;
}

constexpr Lpid many_targets = 20 * static_cast<Lpid>(ImplicitSet::kept);

TEST(ImplicitSet, forgets_targets_that_are_done_although_nobody_waits) {
  ImplicitSet set;
  for (Lpid target = 0; target < many_targets; ++target) {
    set.of(target).add();
    set.of(target).complete();
    ASSERT_LE(set.size(), ImplicitSet::kept);
  }
  EXPECT_TRUE(set.all_done(set.mark(), every));
}

TEST(ImplicitSet, remembers_what_is_outstanding_and_what_failed_whatever_else_comes) {
  ImplicitSet set;
  std::vector<Completion*> outstanding;
  for (Lpid target = 0; target < many_targets; ++target) {
    Completion& completion = set.of(target);
    completion.add();
    if (target % 10 == 3) {
      outstanding.push_back(&completion);
      continue;
    }
    if (target % 100 == 7) completion.fail();
    completion.complete();
  }
  EXPECT_LE(set.size(), std::max(ImplicitSet::kept, 2 * static_cast<std::size_t>(many_targets) * 11 / 100));
  for (Lpid target = 0; target < many_targets; ++target) {
    ASSERT_EQ(set.done(target), target % 10 != 3) << target;
    ASSERT_EQ(set.take_failure(target), target % 100 == 7) << target;
  }
  for (std::size_t i = 0; i < outstanding.size(); ++i) {
    EXPECT_EQ(outstanding[i], &set.of(static_cast<Lpid>(10 * i + 3))) << "a completion has moved";
    outstanding[i]->complete();
  }
  EXPECT_TRUE(set.all_done(set.mark(), every));
}

TEST(ImplicitSet, gives_room_back_when_nothing_is_outstanding_any_more) {
  ImplicitSet set;
  for (Lpid target = 0; target < many_targets; ++target) set.of(target).add();
  EXPECT_EQ(set.size(), static_cast<std::size_t>(many_targets));
  for (Lpid target = 0; target < many_targets; ++target) set.of(target).complete();
  EXPECT_TRUE(set.all_done(set.mark(), every));
  EXPECT_EQ(set.size(), 0u);
  set.of(5).add();
  EXPECT_FALSE(set.done(5));
  EXPECT_TRUE(set.done(6));
}

// ---- others go on adding ----

TEST(ImplicitSet, is_done_with_what_was_added_before_the_mark_though_others_go_on) {
  ImplicitSet set;
  Completion& first = set.of(3);
  first.add(2);
  const ImplicitSet::Mark mark = set.mark();
  std::vector<Completion*> later;
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(set.done(3, mark));
    EXPECT_FALSE(set.all_done(mark, every));
    later.push_back(&set.of(3));
    later.back()->add();
  }
  first.complete();
  EXPECT_FALSE(set.done(3, mark));
  first.complete();
  EXPECT_TRUE(set.done(3, mark));
  EXPECT_TRUE(set.all_done(mark, every));
  EXPECT_FALSE(set.done(3));
  EXPECT_FALSE(set.done(3, set.mark())) << "the next one waits for these";
  for (Completion* each : later) each->complete();
  EXPECT_TRUE(set.done(3));
}

// Marks of several threads, of which each waits while something is always under way.
TEST(ImplicitSet, keeps_no_mark_waiting_for_ever) {
  ImplicitSet set;
  struct Operation {
    Completion* counted_by;
    int started;
  };
  struct Waiting {
    ImplicitSet::Mark mark;
    int started;
  };
  std::vector<Operation> under_way;
  std::vector<Waiting> waiting;
  constexpr int lasts = 7;  // steps, in no order with others
  for (int step = 0; step < 1000; ++step) {
    Completion& completion = set.of(3);
    completion.add();
    under_way.push_back({&completion, step});
    if (step % 3 == 0) waiting.push_back({set.mark(), step});
    std::erase_if(waiting, [&](const Waiting& each) {
      const bool is_over = step % 2 == 0 ? set.done(3, each.mark) : set.all_done(each.mark, every);
      if (is_over) {
        for (const Operation& before : under_way) EXPECT_GT(before.started, each.started) << step;
      }
      EXPECT_TRUE(is_over || step - each.started <= 3 * lasts) << step;
      return is_over;
    });
    std::erase_if(under_way, [&](const Operation& each) {
      const bool ends = step - each.started >= lasts - each.started % 3;
      if (ends) each.counted_by->complete();
      return ends;
    });
  }
}

}  // namespace
}  // namespace comex::nb
