#include "worlds/agreement/deadline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "runtime/report.h"
#include "support/no_threads.h"

namespace comex::worlds {
namespace {

// The step may end at any moment, also while the watching thread is about to wait.
TEST(TimeLimitTest, ends_with_the_step_at_every_moment) {
  const runtime::Reporter reporter;
  for (int i = 0; i < 20000; ++i) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(i % 100);
    const TimeLimit limit =
        limit_step(reporter, "world_disconnect", "the other side has not come", Deadline::never);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
}

TEST(TimeLimitDeathTest, ends_the_job_when_the_step_lasts_longer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto wait_too_long = [] {
    const runtime::Reporter reporter;
    const TimeLimit limit = limit_step(reporter, "world_spawn", "the child has not come", 0.05);
    std::this_thread::sleep_for(std::chrono::seconds(20));
  };
  EXPECT_EXIT(wait_too_long(), ::testing::ExitedWithCode(runtime::failure_exit_code),
              "world_spawn: the child has not come within 0.05 s \\(COMEX_MEET_S\\)");
}

TEST(TimeLimitDeathTest, lets_the_step_go_on_where_the_system_has_no_thread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto make_a_step = [] {
    testing::get_no_threads();
    const runtime::Reporter reporter;
    { const TimeLimit limit = limit_step(reporter, "meeting", "the other side has not come", 5); }
    std::_Exit(3);
  };
  EXPECT_EXIT(make_a_step(), ::testing::ExitedWithCode(3),
              "meeting: goes on without a time limit: pthread_create: Resource");
}

}  // namespace
}  // namespace comex::worlds
