// Founders of groups who name different lists: who cannot come together learns it, who is late is waited for.
#include "worlds/agreement/founding.h"

#include "conformance/job_rig.h"
#include "worlds/agreement/refusal.h"

namespace comex::whole {
namespace {

using namespace std::chrono_literals;

using List = std::vector<Lpid>;

constexpr Lpid nobody = 99;

struct Outcome {
  bool is_made = false;
  std::uint64_t context = 0;
  std::string why = {};
};

// Workers on hosts of their own, each behind a progress rank; none of them computes for longer than a second
// before others find that late.
class Founders : public testing::Test {
 protected:
  Founders() { set_threads(false); }

  void set_threads(bool has_threads) {
    for (int worker = 0; worker < job_.workers(); ++worker)
      job_.runtime(worker).world->has_threads = has_threads;
  }
  Outcome found(int worker, const List& list) {
    const auto rank = std::ranges::find(list, static_cast<Lpid>(worker)) - list.begin();
    const worlds::Founders founders{list};
    worlds::Founding founding(job_.runtime(worker), "founding", founders, static_cast<std::uint32_t>(rank));
    const Result<std::uint64_t> context = founding.agree();
    return context ? Outcome{true, context.value()} : Outcome{false, 0, context.failure().text};
  }
  // Each at once, by the index of its worker.
  std::vector<Outcome> all_found(const std::vector<List>& lists, int late_worker = -1) {
    std::vector<Outcome> outcomes(lists.size());
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < lists.size(); ++worker) {
      threads.emplace_back([&, worker] {
        if (static_cast<int>(worker) == late_worker) std::this_thread::sleep_for(1200ms);
        outcomes[worker] = found(static_cast<int>(worker), lists[worker]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }
  // In a call for this list, of which it gets the last one wrong.
  void refuse(int worker, List list) {
    list.back() = nobody;
    runtime::Runtime& runtime = job_.runtime(worker);
    worlds::tell_of_refusal(runtime, worlds::refused_lpids(runtime, list));
  }
  void all_come_together(const std::vector<List>& lists, int late_worker) {
    const std::vector<Outcome> outcomes = all_found(lists, late_worker);
    for (const Outcome& each : outcomes) {
      EXPECT_TRUE(each.is_made) << each.why;
      EXPECT_EQ(each.context, outcomes.front().context);
    }
  }

  Job job_{{0, 0, 1, 1, 2, 2, 3, 3}, {{"COMEX_MEET_S", "1"}}};
};

std::string text_of(const List& list) {
  std::string text;
  for (const Lpid lpid : list) text += (text.empty() ? "(0," : " (0,") + std::to_string(lpid) + ")";
  return "{" + text + "}";
}

TEST_F(Founders, in_a_circle_all_fail_and_name_their_lists_and_can_come_together_after_it) {
  const std::vector<List> lists{{0, 1}, {1, 2}, {2, 0}};
  const std::vector<Outcome> outcomes = all_found(lists);
  for (std::size_t worker = 0; worker < lists.size(); ++worker) {
    const Outcome& mine = outcomes[worker];
    EXPECT_FALSE(mine.is_made);
    EXPECT_NE(mine.why.find(text_of(lists[worker])), std::string::npos) << mine.why;
    EXPECT_TRUE(mine.why.find(text_of(lists[(worker + 1) % 3])) != std::string::npos ||
                mine.why.find(text_of(lists[(worker + 2) % 3])) != std::string::npos)
        << mine.why;
    EXPECT_NE(mine.why.find("in a circle"), std::string::npos) << mine.why;
  }
  all_come_together({{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, 1);
  all_come_together({{0, 1}, {0, 1}}, 0);
}

// Worker 2 waits for its leader, which is in the circle with another list.
TEST_F(Founders, in_a_circle_take_those_along_who_wait_for_them) {
  for (const Outcome& each : all_found({{0, 3}, {0, 1, 2}, {0, 1, 2}, {3, 1}})) {
    EXPECT_FALSE(each.is_made);
    EXPECT_NE(each.why.find("in a circle"), std::string::npos) << each.why;
  }
  all_come_together({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}, 3);
}

// Each is late for the one before, for longer than others wait without a word.
TEST_F(Founders, who_wait_for_others_in_turn_are_waited_for) {
  std::vector<std::thread> threads;
  std::vector<Outcome> outcomes(6);
  threads.emplace_back([&] {
    outcomes[0] = found(0, {0, 1});
    outcomes[1] = found(0, {2, 0});
  });
  threads.emplace_back([&] {
    outcomes[2] = found(1, {1, 2});
    outcomes[3] = found(1, {0, 1});
  });
  threads.emplace_back([&] {
    std::this_thread::sleep_for(2200ms);
    outcomes[4] = found(2, {1, 2});
    outcomes[5] = found(2, {2, 0});
  });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& each : outcomes) EXPECT_TRUE(each.is_made) << each.why;
}

void expect_lists(const Outcome& outcome, const List& one, const List& other) {
  EXPECT_FALSE(outcome.is_made);
  for (const List& list : {one, other})
    EXPECT_NE(outcome.why.find(text_of(list)), std::string::npos) << outcome.why;
}

// The first has counted a setback with the second, which knows nothing of that.
TEST_F(Founders, of_lists_that_differ_both_fail_after_a_failure_of_one_alone) {
  refuse(2, {0, 1, 2});
  EXPECT_NE(found(0, {0, 1, 2}).why.find("was refused"), std::string::npos);
  const List list{0, 1};
  const List other{1, 0};
  for (const Outcome& each : all_found({list, other})) expect_lists(each, list, other);
  all_come_together({list, list}, 1);
}

TEST_F(Founders, who_were_refused_alone_learn_that_another_one_was_refused_while_they_wait) {
  refuse(0, {0, 1});
  std::thread other([&] {
    std::this_thread::sleep_for(200ms);
    refuse(1, {0, 1});
  });
  const Outcome outcome = found(0, {0, 1});
  other.join();
  EXPECT_NE(outcome.why.find("(0,1), which the list of members names, was refused"), std::string::npos)
      << outcome.why;
  all_come_together({{0, 1}, {0, 1}}, 0);
}

TEST_F(Founders, who_were_refused_together_wait_for_each_other_and_say_so) {
  refuse(0, {0, 1});
  refuse(1, {0, 1});
  testing::internal::CaptureStderr();
  std::thread other([&] {
    std::this_thread::sleep_for(3s);
    EXPECT_TRUE(found(1, {0, 1}).is_made);
  });
  EXPECT_TRUE(found(0, {0, 1}).is_made);
  other.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_NE(said.find("(0,1), which the list of members names, was refused for its arguments {(0,0) lpid "
                      "99}, in an earlier call as it seems: this waits until it calls again"),
            std::string::npos)
      << said;
}

// The second is in the first's call before, with a list of its own.
TEST_F(Founders, who_were_refused_wait_for_others_to_fail_in_the_same_call) {
  refuse(0, {0, 1});
  const List list{0, 1};
  const List other{1, 0};
  std::thread second([&] {
    expect_lists(found(1, other), list, other);
    EXPECT_TRUE(found(1, list).is_made);
  });
  const Outcome outcome = found(0, list);
  EXPECT_TRUE(outcome.is_made) << outcome.why;
  second.join();
}

// The second comes to the leader, gives up because of the third, and calls again.
TEST_F(Founders, who_came_and_gave_up_are_missed_until_they_come_again) {
  const List list{0, 1, 2};
  std::vector<Outcome> outcomes(3);
  refuse(2, list);
  std::thread leader([&] {
    std::this_thread::sleep_for(700ms);
    outcomes[0] = found(0, list);
  });
  EXPECT_NE(found(1, list).why.find("was refused"), std::string::npos);
  std::thread third([&] { outcomes[2] = found(2, list); });
  std::this_thread::sleep_for(100ms);
  outcomes[1] = found(1, list);
  leader.join();
  third.join();
  for (const Outcome& each : outcomes) {
    EXPECT_TRUE(each.is_made) << each.why;
    EXPECT_EQ(each.context, outcomes.front().context);
  }
}

// It may have been about others; the line says for what, if nothing follows.
TEST_F(Founders, who_were_refused_with_another_list_get_the_time_to_come) {
  const List list{0, 2};
  refuse(2, {2, 3});
  std::thread second([&] {
    std::this_thread::sleep_for(1400ms);
    EXPECT_TRUE(found(2, list).is_made);
  });
  const Outcome outcome = found(0, list);
  EXPECT_TRUE(outcome.is_made) << outcome.why;
  second.join();
  refuse(2, {2, 3});
  const std::string why = found(0, list).why;
  EXPECT_NE(why.find("(0,2), which the list of members names, was refused for its arguments {(0,2) lpid 99}"),
            std::string::npos)
      << why;
}

// The second gives up a list of three because of the third, and takes its time until it calls again.
TEST_F(Founders, who_wait_for_one_that_gave_up_for_others_say_so_once) {
  const List three{0, 1, 2};
  const List two{0, 1};
  refuse(2, three);
  testing::internal::CaptureStderr();
  std::thread first([&] {
    std::this_thread::sleep_for(500ms);
    EXPECT_TRUE(found(0, two).is_made);
  });
  EXPECT_NE(found(1, three).why.find("was refused"), std::string::npos);
  std::this_thread::sleep_for(3s);
  EXPECT_TRUE(found(1, two).is_made);
  first.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;
  EXPECT_NE(
      said.find(
          "(0,1), which the list of members {(0,0) (0,1)} names, names {(0,0) (0,1) (0,2)}; all members "
          "name the same ones in one order; it has given those up because of others, and this waits "
          "until it calls again"),
      std::string::npos)
      << said;
}

TEST_F(Founders, who_wait_for_one_that_was_refused_twice_fail_twice) {
  const List list{0, 1};
  refuse(0, list);
  refuse(0, list);
  EXPECT_NE(found(1, list).why.find("was refused"), std::string::npos);
  EXPECT_NE(
      found(1, list).why.find("(0,0), which the list of members names, has been refused or has given up in "
                              "more calls than others on it"),
      std::string::npos);
  all_come_together({list, list}, 0);
}

// It gives up, and calls again, while the leader computes with the word of its first call at hand.
TEST_F(Founders, who_gave_up_while_the_leader_was_away_come_to_its_group_in_their_next_call) {
  const List list{0, 1};
  Outcome again;
  std::thread second([&] {
    EXPECT_NE(found(1, list).why.find("was refused"), std::string::npos);
    again = found(1, list);
  });
  std::this_thread::sleep_for(300ms);
  refuse(0, list);  // and takes in what has come
  std::this_thread::sleep_for(1200ms);
  const Outcome first = found(0, list);
  second.join();
  EXPECT_TRUE(first.is_made) << first.why;
  EXPECT_TRUE(again.is_made) << again.why;
  EXPECT_EQ(first.context, again.context);
}

// The leader and the third differ; the second, who has come, is neither late nor on the third's list. Who
// began first knows first, and its next call comes while the other is still in this one.
TEST_F(Founders, whom_the_leader_has_counted_fail_with_it_though_it_or_the_third_calls_again_at_once) {
  const List list{0, 1, 2};
  const List other{0, 2};
  for (const int late : {0, 2}) {
    std::vector<Outcome> outcomes(3);
    std::vector<Outcome> again(3);
    std::vector<std::thread> threads;
    for (int worker = 0; worker < 3; ++worker) {
      threads.emplace_back([&, worker] {
        const auto at = static_cast<std::size_t>(worker);
        if (worker == 1) std::this_thread::sleep_for(500ms);
        if (worker == late) std::this_thread::sleep_for(200ms);
        outcomes[at] = found(worker, worker == 2 ? other : list);
        again[at] = found(worker, list);
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const Outcome& each : outcomes) expect_lists(each, list, other);
    for (const Outcome& each : again) {
      EXPECT_TRUE(each.is_made) << each.why;
      EXPECT_EQ(each.context, again.front().context);
    }
  }
}

// The third knows first that the second names others, and comes to their leader, which has just called.
TEST_F(Founders, fail_because_of_one_that_differed_before_they_join_its_next_call) {
  const List list{0, 1, 2};
  const List other{2, 1};
  std::vector<Outcome> outcomes(3);
  std::thread leader([&] {
    std::this_thread::sleep_for(700ms);
    outcomes[0] = found(0, list);
  });
  std::thread second([&] {
    std::this_thread::sleep_for(200ms);
    expect_lists(found(1, list), list, other);
    outcomes[1] = found(1, list);
  });
  expect_lists(found(2, other), list, other);
  outcomes[2] = found(2, list);
  leader.join();
  second.join();
  for (const Outcome& each : outcomes) {
    EXPECT_TRUE(each.is_made) << each.why;
    EXPECT_EQ(each.context, outcomes.front().context);
  }
}

// What looks like a circle, and like lists that differ, is resolved by other threads that come later.
TEST_F(Founders, of_several_threads_are_waited_for) {
  set_threads(true);
  const std::vector<std::pair<int, List>> first{
      {0, {0, 1}}, {1, {1, 2}}, {2, {2, 0}}, {0, {0, 3}}, {3, {3, 0}}};
  const std::vector<std::pair<int, List>> later{
      {1, {0, 1}}, {2, {1, 2}}, {0, {2, 0}}, {3, {0, 3}}, {0, {3, 0}}};
  std::vector<std::thread> threads;
  testing::internal::CaptureStderr();
  const auto start = [&](const std::vector<std::pair<int, List>>& calls) {
    for (const auto& call : calls) {
      threads.emplace_back([this, call] {
        const Outcome outcome = found(call.first, call.second);
        EXPECT_TRUE(outcome.is_made) << outcome.why;
      });
    }
  };
  start(first);
  std::this_thread::sleep_for(2200ms);
  start(later);
  for (std::thread& thread : threads) thread.join();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
  EXPECT_NE(said.find("(0,3), which the list of members {(0,0) (0,3)} names, names {(0,3) (0,0)}"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace comex::whole
