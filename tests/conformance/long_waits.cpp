// Lines about collectives that wait for long: they name who has not come, as the program knows it.
#include <chrono>
#include <functional>
#include <thread>

#include "conformance/job_rig.h"

namespace comex::whole {
namespace {

using List = std::vector<Lpid>;

// Workers on hosts of their own, each behind a progress rank.
class LongWaits : public testing::Test {
 protected:
  // Of these workers, in this order; with the other side of an inter-group.
  int make_group(int worker, const List& members, const List& remote = {}) {
    runtime::Runtime& runtime = job_.runtime(worker);
    constexpr std::uint64_t context = 1000;
    const auto rank = std::ranges::find(members, static_cast<Lpid>(worker)) - members.begin();
    groups::Table far;
    if (!remote.empty()) far = runtime.registry().make_table(remote);
    auto group = std::make_unique<groups::Group>(context, runtime.registry().make_table(members),
                                                 static_cast<int>(rank), groups::Endpoints(), std::move(far));
    runtime::GroupExtras extras = runtime.extras_of(*group);
    return runtime.add_group(std::move(group), extras);
  }
  void barrier(int worker, int group) { job_.runtime(worker).extras(group).collective->barrier(); }
  void free(int worker, int group) { job_.runtime(worker).remove_group(group); }
  // What is printed while `late` happens only after each call has told of its long wait.
  static std::string said_while(const std::vector<std::function<void()>>& calls,
                                const std::function<void()>& late) {
    testing::internal::CaptureStderr();
    std::vector<std::thread> threads;
    for (const auto& call : calls) threads.emplace_back(call);
    await_lines_of_waits(calls.size());
    late();
    for (std::thread& thread : threads) thread.join();
    return with_waits_of_1_s(testing::internal::GetCapturedStderr());
  }
  static void expect(const std::string& line, const std::string& said) {
    EXPECT_NE(said.find(line), std::string::npos) << "no '" << line << "' in\n" << said;
  }

  LongWaits() { job_.may_leave_looks(); }
  explicit LongWaits(const std::vector<int>& hosts) : job_(hosts, {{"COMEX_STALL_S", "1"}}) {}

 private:
  Job job_{{0, 0, 1, 1, 2, 2}, {{"COMEX_STALL_S", "1"}}};
};

class LongWaitsOnOneHost : public LongWaits {
 protected:
  LongWaitsOnOneHost() : LongWaits({0, 0, 0, 0, 0}) {}
};

TEST_F(LongWaits, of_a_group_name_the_rank_in_it_and_who_that_is) {
  const List members{2, 1};
  const int group = make_group(1, members);
  ASSERT_EQ(make_group(2, members), group);
  const std::string said = said_while({[&] { barrier(1, group); }}, [&] { barrier(2, group); });
  expect("barrier to target 0 of group " + std::to_string(group) +
             " (worker 2): has been waiting for 1 s for worker 2\n",
         said);
  free(1, group);
  free(2, group);
}

// A member waits for one other at a time, here 0 for 3, then 3 for 2 and 0 for 2.
TEST_F(LongWaitsOnOneHost, of_a_group_name_all_members_that_have_not_come) {
  const List members{0, 1, 2, 3};
  const int group = make_group(0, members);
  for (const int worker : {1, 2, 3}) ASSERT_EQ(make_group(worker, members), group);
  const auto come = [&](int worker) { return [this, worker, group] { barrier(worker, group); }; };
  const std::string said = said_while({come(0), come(3)}, [&] {
    std::thread second(come(1));
    barrier(2, group);
    second.join();
  });
  expect(": has been waiting for 1 s for workers 1 and 2\n", said);
  for (const int worker : {0, 1, 2, 3}) free(worker, group);
}

TEST_F(LongWaits, of_an_inter_group_name_ranks_of_the_other_side_and_processes_of_the_own) {
  const List low{0};
  const List high{1, 2};
  const int group = make_group(0, low, high);
  for (const int worker : {1, 2}) ASSERT_EQ(make_group(worker, high, low), group);
  const std::string said =
      said_while({[&] { barrier(0, group); }, [&] { barrier(2, group); }}, [&] { barrier(1, group); });
  expect("barrier to target 0 of group " + std::to_string(group) + " (worker 1): has been waiting", said);
  expect("barrier to target 1: has been waiting", said);
  for (const int worker : {0, 1, 2}) free(worker, group);
}

TEST_F(LongWaits, in_a_disconnect_are_said_to_be_for_that) {
  const List members{1, 0};
  comex_group_t group = make_group(0, members);
  ASSERT_EQ(make_group(1, members), group);
  const int theirs = group;
  const std::string said = said_while({[&] { EXPECT_EQ(comex_world_disconnect(&group), COMEX_SUCCESS); }},
                                      [&] { barrier(1, theirs); });
  expect("world_disconnect to target 0 of group " + std::to_string(theirs) +
             " (worker 1): has been waiting for 1 s for worker 1, in its barrier\n",
         said);
  free(1, theirs);
}

}  // namespace
}  // namespace comex::whole
