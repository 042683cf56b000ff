#include <thread>

#include "shm/barrier.h"
#include "shm/doorbell.h"
#include "shm/idle.h"
#include "support.h"

namespace comex::shm {
namespace {

class WaitingOnEachOs : public testing::TestWithParam<OsCase> {
 protected:
  std::unique_ptr<Os> os_ = GetParam().make();
  DoorbellBlock bell_{};
  HostBarrierBlock barrier_{};
};

TEST_P(WaitingOnEachOs, a_doorbell_does_not_sleep_after_a_ring) {
  Doorbell bell(*os_, bell_);
  const std::uint32_t seen = bell.seen();
  bell.ring();
  EXPECT_TRUE(bell.sleep_until_rung(seen, forever_ns));
  EXPECT_FALSE(bell.sleep_until_rung(bell.seen(), 1000));
}

TEST_P(WaitingOnEachOs, a_doorbell_loses_no_ring) {
  std::atomic<int> sent{0};
  constexpr int rounds = 3000;
  std::thread ringer([&] {
    Doorbell bell(*os_, bell_);
    for (int i = 1; i <= rounds; ++i) {
      sent = i;
      bell.ring_message();
      if (i % 7 == 0) os_->yield();
    }
  });
  Doorbell bell(*os_, bell_);
  while (true) {  // a lost ring would sleep here for ever
    const std::uint32_t seen = bell.seen();
    if (sent == rounds) break;
    EXPECT_TRUE(bell.sleep_until_rung(seen, forever_ns));
  }
  ringer.join();
  EXPECT_EQ(bell.messages(), static_cast<std::uint64_t>(rounds));
  EXPECT_EQ(bell_.sleepers.load(), 0u);
}

TEST_P(WaitingOnEachOs, a_barrier_opens_when_all_have_arrived) {
  constexpr int members = 4;
  constexpr int rounds = 500;
  std::atomic<int> arrived{0};
  std::vector<std::thread> threads;
  for (int me = 0; me < members; ++me) {
    threads.emplace_back([&] {
      HostBarrier barrier(*os_, barrier_, members);
      for (int round = 1; round <= rounds; ++round) {
        ++arrived;
        barrier.wait(barrier.arrive());
        ASSERT_GE(arrived.load(), round * members);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(arrived, rounds * members);
}

TEST_P(WaitingOnEachOs, a_barrier_can_be_polled_between_arriving_and_done) {
  HostBarrier barrier(*os_, barrier_, 2);
  const std::uint32_t mine = barrier.arrive();
  EXPECT_FALSE(barrier.done(mine));
  barrier.sleep(mine, 1000);
  EXPECT_FALSE(barrier.done(mine));
  const std::uint32_t theirs = barrier.arrive();
  EXPECT_TRUE(barrier.done(mine));
  EXPECT_TRUE(barrier.done(theirs));
}

TEST_P(WaitingOnEachOs, idle_notices_a_ring_that_came_before_its_nap) {
  Doorbell bell(*os_, bell_);
  WaitPolicy policy;
  policy.mode = WaitMode::sleep;
  Idle idle(*os_, policy, bell);
  EXPECT_FALSE(idle.sleep(1000));
  bell.ring();
  EXPECT_TRUE(idle.sleep(forever_ns));
  EXPECT_FALSE(idle.sleep(1000));
}

INSTANTIATE_TEST_SUITE_P(Both, WaitingOnEachOs, testing::ValuesIn(os_cases()), case_name);

TEST(Idle, goes_down_its_ladder_and_starts_again_after_work) {
  MemoryOs os;
  WaitPolicy policy;
  policy.spin_ns = 1;
  policy.yields = 3;
  policy.nap_first_ns = 10;
  policy.nap_max_ns = 1000;
  Idle idle(os, policy);
  EXPECT_FALSE(idle.would_nap());
  int steps = 0;
  for (; steps < 100 && !idle.would_nap(); ++steps) idle.pause();
  EXPECT_GE(steps, 4);  // one spin, three yields
  EXPECT_LT(steps, 100);
  idle.pause();
  idle.reset();
  EXPECT_FALSE(idle.would_nap());
  EXPECT_EQ(idle.stalled_for(), 0u);
}

TEST(Idle, naps_instead_of_yielding_for_a_while_after_a_dear_yield) {
  MemoryOs os;
  WaitPolicy policy;
  policy.spin_ns = 1;
  policy.yields = 1000;
  policy.nap_first_ns = 10;
  const auto steps_to_nap = [](Idle& idle) {
    int steps = 0;
    for (idle.reset(); steps < 2000 && !idle.would_nap(); ++steps) idle.pause();
    return steps;
  };
  Idle patient(os, policy);
  EXPECT_GT(steps_to_nap(patient), 1000);
  policy.dear_yield_ns = 1;  // every yield is
  Idle idle(os, policy);
  const int with_one_yield = steps_to_nap(idle);
  EXPECT_LT(with_one_yield, 1000);
  EXPECT_LT(steps_to_nap(idle), with_one_yield);
}

TEST(Idle, obeys_its_mode) {
  MemoryOs os;
  WaitPolicy policy;
  policy.spin_ns = 1;
  policy.yields = 1;
  for (const WaitMode mode : {WaitMode::spin, WaitMode::yield}) {
    policy.mode = mode;
    Idle idle(os, policy);
    for (int i = 0; i < 50; ++i) idle.pause();
    EXPECT_FALSE(idle.would_nap());
  }
  policy.mode = WaitMode::sleep;
  const Idle sleeper(os, policy);
  EXPECT_TRUE(sleeper.would_nap());
}

TEST(WaitPolicy, lets_a_wait_that_counts_its_rounds_obey_the_mode_too) {
  WaitPolicy policy;
  EXPECT_TRUE(policy.yields_ever());
  EXPECT_FALSE(policy.sleeps_after(9, 10));
  EXPECT_TRUE(policy.sleeps_after(10, 10));
  policy.mode = WaitMode::spin;
  EXPECT_FALSE(policy.yields_ever());
  EXPECT_FALSE(policy.sleeps_after(1000, 10));
  policy.mode = WaitMode::yield;
  EXPECT_TRUE(policy.yields_ever());
  EXPECT_FALSE(policy.sleeps_after(1000, 10));
  policy.mode = WaitMode::sleep;
  EXPECT_TRUE(policy.sleeps_after(0, 10));
}

TEST(Idle, tells_once_that_it_waits_for_long) {
  MemoryOs os;
  Idle idle(os, WaitPolicy{});
  EXPECT_FALSE(idle.is_stalled(1));
  idle.pause();
  os.sleep_ns(1000);
  EXPECT_FALSE(idle.is_stalled(forever_ns));
  EXPECT_TRUE(idle.is_stalled(1));
  EXPECT_FALSE(idle.is_stalled(1));
  idle.reset();
  idle.pause();
  os.sleep_ns(1000);
  EXPECT_TRUE(idle.is_stalled(1));
}

}  // namespace
}  // namespace comex::shm
