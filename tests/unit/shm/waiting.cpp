#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "shm/doorbell.h"
#include "shm/idle.h"
#include "shm/locks/barrier.h"
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
        wait_at(barrier);
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
  policy.yield_ns = 1;
  policy.nap_first_ns = 10;
  policy.nap_max_ns = 1000;
  Idle idle(os, policy);
  EXPECT_FALSE(idle.would_nap());
  int steps = 0;
  for (; steps < 100 && !idle.would_nap(); ++steps) idle.pause();
  EXPECT_GE(steps, 2);  // a spin and a yield
  EXPECT_LT(steps, 100);
  idle.pause();
  idle.reset();
  EXPECT_FALSE(idle.would_nap());
  EXPECT_EQ(idle.stalled_for(), 0u);
}

// A clock of its own; yields and naps take as long as told.
class Paced : public MemoryOs {
 public:
  std::uint64_t now_ns() override { return now_ += look_ns_; }
  void yield() override {
    now_ += yield_ns_;
    ++yields_;
  }
  void sleep_ns(std::uint64_t ns) override {
    naps_.push_back(ns);
    now_ += ns;
  }
  void let_looks_take(std::uint64_t ns) { look_ns_ = ns; }
  void let_yields_take(std::uint64_t ns) { yield_ns_ = ns; }
  const std::vector<std::uint64_t>& naps() const { return naps_; }
  std::uint64_t yields() const { return yields_; }

 private:
  std::uint64_t now_ = 1;
  std::uint64_t yields_ = 0;
  std::uint64_t look_ns_ = 0;
  std::uint64_t yield_ns_ = 1;
  std::vector<std::uint64_t> naps_;
};

WaitPolicy spinless() {
  WaitPolicy policy;
  policy.spin_ns = 0;
  policy.yield_ns = 0;
  return policy;
}

// At once, for 1 us at most.
WaitPolicy napping(std::uint64_t first_ns) {
  WaitPolicy policy = spinless();
  policy.mode = WaitMode::sleep;
  policy.nap_first_ns = first_ns;
  policy.nap_max_ns = 1000;
  return policy;
}

int steps_to_nap(Idle& idle) {
  int steps = 0;
  for (idle.reset(); steps < 2000 && !idle.would_nap(); ++steps) idle.pause();
  return steps;
}

TEST(Idle, yields_for_as_long_as_a_chunk_is_copied) {
  Paced os;
  WaitPolicy policy = spinless();
  Idle brief(os, policy);
  EXPECT_LT(steps_to_nap(brief), 40);
  policy.yield_ns = 1000;
  Idle patient(os, policy);
  EXPECT_GE(steps_to_nap(patient), 1000);
  os.let_yields_take(500);
  EXPECT_LT(steps_to_nap(patient), 40) << "a time slice or two of a neighbour that computes";
}

TEST(Idle, naps_for_a_quarter_of_the_time_waited_and_longest_after_long) {
  Paced os;
  Idle idle(os, napping(10));
  for (int i = 0; i < 4000; ++i) idle.pause();
  const std::vector<std::uint64_t>& naps = os.naps();
  EXPECT_EQ(naps.front(), 10u);
  EXPECT_EQ(naps.back(), 1000u);
  std::uint64_t waited = 0;
  for (const std::uint64_t nap : naps) {
    if (waited / 4 < 250) {
      EXPECT_EQ(nap, std::max<std::uint64_t>(waited / 4, 10));
    } else {
      EXPECT_EQ(nap, std::clamp<std::uint64_t>(waited / 1000, 250, 1000));
    }
    waited += nap;
  }
}

TEST(Idle, naps_no_longer_than_the_longest_nap_whatever_the_first_one_is) {
  Paced os;
  Idle idle(os, napping(5000));
  for (int i = 0; i < 10; ++i) idle.pause();
  EXPECT_EQ(os.naps(), std::vector<std::uint64_t>(10, 1000));
}

// Looks before the first yield.
int looks_awake(Paced& os, Idle& idle) {
  int looks = 0;
  const std::uint64_t before = os.yields();
  for (idle.reset(); os.yields() == before; ++looks) idle.pause();
  return looks;
}

TEST(Idle, spins_for_less_where_ranks_outnumber_cores) {
  Paced os;
  os.let_looks_take(1);
  WaitPolicy policy;
  policy.spin_ns = 1'000;
  policy.oversubscribed_spin_ns = 100;
  Idle alone(os, policy);  // reads the clock with every eighth look
  policy.oversubscribed = true;
  Idle oversubscribed(os, policy);
  EXPECT_GE(looks_awake(os, alone), 8 * 1'000);
  EXPECT_LE(looks_awake(os, oversubscribed), 8 * 100 + 8);
  policy.spin_ns = 10;
  Idle brief(os, policy);
  EXPECT_LE(looks_awake(os, brief), 8 * 10 + 8) << "the shorter of the two";
}

TEST(Idle, gives_way_now_and_then) {
  Paced os;
  WaitPolicy policy;
  policy.work_ns = 1'000;
  Idle idle(os, policy);
  os.sleep_ns(policy.work_ns);
  const auto yields_in = [&](int rounds, std::uint64_t each_ns) {
    const std::uint64_t before = os.yields();
    for (int i = 0; i < rounds; ++i) {
      os.sleep_ns(each_ns);
      idle.give_way();
    }
    return os.yields() - before;
  };
  EXPECT_EQ(yields_in(10, policy.work_ns), 10u);
  EXPECT_EQ(yields_in(100, policy.work_ns / 10), 10u);
  for (const WaitMode mode : {WaitMode::spin, WaitMode::yield}) {
    policy.mode = mode;
    idle = Idle(os, policy);
    EXPECT_EQ(yields_in(3, policy.work_ns), mode == WaitMode::spin ? 0u : 3u);
  }
}

TEST(Idle, obeys_its_mode) {
  MemoryOs os;
  WaitPolicy policy;
  policy.spin_ns = 1;
  policy.yield_ns = 0;
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

TEST(Idle, knows_how_long_it_has_waited_since_it_was_reset) {
  MemoryOs os;
  Idle idle(os, WaitPolicy{});
  EXPECT_EQ(idle.stalled_for(), 0u);
  idle.pause();
  os.sleep_ns(1000);
  EXPECT_GE(idle.stalled_for(), 1000u);
  idle.reset();
  EXPECT_EQ(idle.stalled_for(), 0u);
}

}  // namespace
}  // namespace comex::shm
