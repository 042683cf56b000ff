// Groups made by several processes at once: all members get the group, or those who wait fail within the time
// limit and say who has not come.
#include "worlds/agreement/create_group.h"

#include <future>
#include <thread>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

using namespace std::chrono_literals;

using List = std::vector<Lpid>;

struct Outcome {
  bool is_made = false;
  std::uint64_t context = 0;
  std::string why = {};
};

// Workers on hosts of their own, each behind a progress rank. The time limit is two seconds.
class GroupCommit : public testing::Test {
 protected:
  Outcome make(int worker, const List& list) {
    const auto rank = std::ranges::find(list, static_cast<Lpid>(worker)) - list.begin();
    const Result<std::uint64_t> context =
        worlds::commit_group(job_.runtime(worker), "group_create", {list}, static_cast<std::uint32_t>(rank));
    return context ? Outcome{true, context.value()} : Outcome{false, 0, context.failure().text};
  }
  // Each at once, by the index of its worker; an empty list: it does not call.
  std::vector<Outcome> all_make(const std::vector<List>& lists, int late_worker = -1) {
    std::vector<Outcome> outcomes(lists.size());
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < lists.size(); ++worker) {
      if (lists[worker].empty()) continue;
      threads.emplace_back([&, worker] {
        if (static_cast<int>(worker) == late_worker) std::this_thread::sleep_for(300ms);
        outcomes[worker] = make(static_cast<int>(worker), lists[worker]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return outcomes;
  }
  void all_come_together(const List& list, int late_worker) {
    const std::vector<Outcome> outcomes = all_make(std::vector<List>(list.size(), list), late_worker);
    for (const Outcome& each : outcomes) {
      EXPECT_TRUE(each.is_made) << each.why;
      EXPECT_EQ(each.context, outcomes.front().context);
    }
  }

  Job job_{{0, 0, 1, 1, 2, 2, 3, 3}, {{"COMEX_MEET_S", "2"}}};
};

void expect_failure(const Outcome& outcome, const std::string& list, const std::string& who_is_missing) {
  EXPECT_FALSE(outcome.is_made);
  for (const std::string& text : {list, who_is_missing, std::string("within 2 s (COMEX_MEET_S)")})
    EXPECT_NE(outcome.why.find(text), std::string::npos) << text << "\n" << outcome.why;
}

TEST_F(GroupCommit, waits_for_a_late_leader_and_for_a_late_member) {
  all_come_together({0, 1, 2, 3}, 0);
  all_come_together({0, 1, 2, 3}, 3);
  all_come_together({1, 0}, 0);
}

TEST_F(GroupCommit, gives_all_members_of_each_group_a_context_of_its_own) {
  const List low{0, 1};
  const List high{3, 2};
  const std::vector<Outcome> outcomes = all_make({low, low, high, high});
  for (const Outcome& each : outcomes) EXPECT_TRUE(each.is_made) << each.why;
  EXPECT_EQ(outcomes[0].context, outcomes[1].context);
  EXPECT_EQ(outcomes[2].context, outcomes[3].context);
}

TEST_F(GroupCommit, without_a_member_fails_on_all_who_wait_and_names_it) {
  const List list{0, 1, 2};
  const std::vector<Outcome> outcomes = all_make({list, list, {}});
  for (const int worker : {0, 1})
    expect_failure(outcomes[static_cast<std::size_t>(worker)], "{(0,0) (0,1) (0,2)}", "rank 2 did not call");
  all_come_together(list, 2);
}

TEST_F(GroupCommit, without_its_first_member_fails_on_all_who_wait_and_names_it) {
  const List list{0, 1, 2};
  const std::vector<Outcome> outcomes = all_make({{}, list, list});
  for (const int worker : {1, 2})
    expect_failure(outcomes[static_cast<std::size_t>(worker)], "{(0,0) (0,1) (0,2)}", "rank 0 did not call");
  all_come_together(list, 0);
}

TEST_F(GroupCommit, of_lists_that_differ_fails_on_all_with_their_own_lists) {
  const std::vector<Outcome> outcomes = all_make({{0, 1}, {1, 0}});
  expect_failure(outcomes[0], "{(0,0) (0,1)}", "rank 1 did not call");
  expect_failure(outcomes[1], "{(0,1) (0,0)}", "rank 1 did not call");
  all_come_together({0, 1}, 1);
}

TEST_F(GroupCommit, of_lists_that_wait_for_each_other_in_a_circle_fails_on_all) {
  for (const Outcome& each : all_make({{0, 1}, {1, 2}, {2, 0}})) {
    EXPECT_FALSE(each.is_made);
    EXPECT_NE(each.why.find(" did not call"), std::string::npos) << each.why;
  }
  all_come_together({0, 1, 2}, 1);
}

// The leader gives up two seconds after it came, and so do those who came a moment ago.
TEST_F(GroupCommit, that_the_leader_gives_up_ends_for_who_has_just_come) {
  const List list{0, 1, 2};
  const std::vector<Outcome> outcomes = all_make({list, list, {}}, 1);
  EXPECT_FALSE(outcomes[0].is_made);
  EXPECT_FALSE(outcomes[1].is_made);
}

// It waits for all for ever, but not longer than one that is ready.
TEST_F(GroupCommit, the_leader_keeps_to_the_limits_of_its_members) {
  const List list{0, 1, 2};
  std::thread leader([&] {
    EXPECT_FALSE(
        worlds::commit_group(job_.runtime(0), "group_create", {.lpids = list, .waits_for_all = true}, 0));
  });
  expect_failure(make(1, list), "{(0,0) (0,1) (0,2)}", "rank 2 did not call");
  leader.join();
}

// Members that came in vain come again, in calls that the leader meets at any time.
TEST_F(GroupCommit, comes_about_in_a_later_call_of_those_who_failed) {
  const List list{0, 1};
  std::promise<void> failed;
  std::thread member([&] {
    EXPECT_FALSE(make(1, list).is_made);
    failed.set_value();
    EXPECT_TRUE(make(1, list).is_made);
  });
  failed.get_future().wait();
  std::this_thread::sleep_for(300ms);  // of the two seconds that the second call waits
  EXPECT_TRUE(make(0, list).is_made);
  member.join();
}

// One leader with two groups under way at once.
TEST_F(GroupCommit, of_several_threads_makes_each_group) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::vector<Outcome> outcomes(4);
  threads.emplace_back([&] { outcomes[0] = make(0, {0, 1}); });
  threads.emplace_back([&] { outcomes[1] = make(0, {0, 2}); });
  threads.emplace_back([&] { outcomes[2] = make(1, {0, 1}); });
  threads.emplace_back([&] { outcomes[3] = make(2, {0, 2}); });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& each : outcomes) EXPECT_TRUE(each.is_made) << each.why;
  EXPECT_EQ(outcomes[0].context, outcomes[2].context);
  EXPECT_EQ(outcomes[1].context, outcomes[3].context);
  EXPECT_NE(outcomes[0].context, outcomes[1].context);
}

}  // namespace
}  // namespace comex::whole
