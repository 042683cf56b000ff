// Locks, the barrier and the doorbell in every order.
#include <gtest/gtest.h>

#include <atomic>

#include "rules/schedules/scheduled_os.h"
#include "shm/doorbell.h"
#include "shm/idle.h"
#include "shm/locks/barrier.h"
#include "shm/locks/locks.h"

namespace comex::rules {
namespace {

using shm::forever_ns;
using shm::LockResult;
using shm::OwnerLock;

// What a lock guards: nobody else may be inside, and no addition may be lost.
struct Guarded {
  std::uint64_t inside;
  std::uint64_t sum;

  void enter() {
    EXPECT_EQ(inside, 0u) << "two processes hold the lock";
    inside = 1;
    sum += 1;
  }
  void leave() { inside = 0; }
};

constexpr std::size_t guarded_offset = 4096;

class Schedules : public testing::Test {
 protected:
  Guarded& guarded() { return shared_at<Guarded>(guarded_offset); }
  shm::LockParty party(shm::HostSlot slot) { return {&os, &object, slot}; }

  ScheduledOs os;
  shm::Object object;
};

TEST_F(Schedules, of_a_lock_let_one_in_at_a_time_and_wake_all) {
  auto& word = shared_at<shm::OwnerLockWord>(0);
  const auto twice = [&](shm::HostSlot slot) {
    return [&, slot] {
      for (int round = 0; round < 2; ++round) {
        OwnerLock lock(word);
        EXPECT_EQ(lock.lock(party(slot)), LockResult::acquired);
        guarded().enter();
        guarded().leave();
        lock.unlock(party(slot));
      }
    };
  };
  const auto end = [&] {
    EXPECT_FALSE(OwnerLock(word).is_locked());
    EXPECT_EQ(guarded().sum, 6u);
  };
  expect_in_every_schedule("lock", {[] {}, {twice(0), twice(1), twice(2)}, end});
}

TEST_F(Schedules, of_a_lock_whose_holder_dies_end_with_others) {
  auto& word = shared_at<shm::OwnerLockWord>(0);
  unsigned recovered = 0;
  const auto once = [&](shm::HostSlot slot) {
    return [&, slot] {
      OwnerLock lock(word);
      if (lock.lock(party(slot)) == LockResult::taken_over) {
        EXPECT_TRUE(scheduler().is_dead(0)) << "taken over from a living holder";
        ++recovered;
        guarded().inside = 0;  // half updated, perhaps
      }
      guarded().enter();
      guarded().leave();
      lock.unlock(party(slot));
    };
  };
  Scenario scenario;
  scenario.begin = [&] { recovered = 0; };
  scenario.processes = {once(0), once(1), once(2)};
  scenario.end = [&] {
    EXPECT_LE(recovered, 1u);
    // Only one who died as the last holds it still.
    EXPECT_EQ(OwnerLock(word).is_locked(), scheduler().is_dead(0) && word.load() % 65536 == 1);
  };
  scenario.mortal = 0;
  scenario.time_passes = true;
  expect_in_every_schedule("lock with a dead holder", scenario);
}

TEST_F(Schedules, of_a_try_lock_never_let_two_in) {
  auto& word = shared_at<shm::OwnerLockWord>(0);
  std::uint64_t entered = 0;
  const auto tries = [&](shm::HostSlot slot) {
    return [&, slot] {
      OwnerLock lock(word);
      if (lock.try_lock(party(slot)) != LockResult::acquired) return;
      ++entered;
      guarded().enter();
      guarded().leave();
      lock.unlock(party(slot));
    };
  };
  const auto locks = [&] {
    OwnerLock lock(word);
    static_cast<void>(lock.lock(party(2)));
    ++entered;
    guarded().enter();
    guarded().leave();
    lock.unlock(party(2));
  };
  const auto end = [&] {
    EXPECT_EQ(guarded().sum, entered);
    EXPECT_GE(entered, 1u);
  };
  expect_in_every_schedule("try_lock", {[&] { entered = 0; }, {tries(0), tries(1), locks}, end, 3});
}

TEST_F(Schedules, of_a_barrier_let_nobody_pass_early) {
  auto& block = shared_at<shm::HostBarrierBlock>(0);
  constexpr unsigned members = 3;
  unsigned arrived = 0;
  const auto twice = [&] {
    shm::HostBarrier barrier(os, block, members);
    for (unsigned round = 1; round <= 2; ++round) {
      ++arrived;
      const std::uint32_t token = barrier.arrive();
      while (!barrier.done(token)) barrier.sleep(token, forever_ns);
      EXPECT_GE(arrived, round * members) << "somebody passed before all had arrived";
    }
  };
  const auto end = [&] { EXPECT_EQ(block.sleepers.load(), 0u); };
  expect_in_every_schedule("barrier", {[&] { arrived = 0; }, {twice, twice, twice}, end});
}

// One that sleeps without limit until there is work, as a progress rank does; two that bring it.
TEST_F(Schedules, of_a_doorbell_lose_no_ring) {
  auto& block = shared_at<shm::DoorbellBlock>(0);
  auto& work = shared_at<std::atomic<std::uint32_t>>(guarded_offset);
  const auto sleeper = [&] {
    shm::Doorbell bell(os, block);
    while (true) {
      const std::uint32_t seen = bell.seen();
      if (work.load() == 3) return;
      EXPECT_TRUE(bell.sleep_until_rung(seen, forever_ns));
    }
  };
  const auto ringer = [&](unsigned rings) {
    return [&, rings] {
      shm::Doorbell bell(os, block);
      for (unsigned i = 0; i < rings; ++i) {
        work.fetch_add(1);
        bell.ring();
      }
    };
  };
  const auto end = [&] { EXPECT_EQ(block.sleepers.load(), 0u); };
  expect_in_every_schedule("doorbell", {[] {}, {sleeper, ringer(2), ringer(1)}, end, 3});
}

// The number of messages says whether one is still to come, so that no sleep is without end.
TEST_F(Schedules, of_a_doorbell_that_counts_messages_lose_none) {
  auto& block = shared_at<shm::DoorbellBlock>(0);
  auto& arrived = shared_at<std::atomic<std::uint32_t>>(guarded_offset);
  constexpr unsigned messages = 2;
  const auto receiver = [&] {
    shm::Doorbell bell(os, block);
    shm::WaitPolicy policy;
    policy.mode = WaitMode::sleep;
    shm::Idle idle(os, policy, bell);
    std::uint64_t received = 0;
    while (received < messages) {
      idle.reset();
      if (arrived.load() > received) {
        ++received;
        continue;
      }
      if (bell.messages() > received) continue;  // MPI shows it soon
      static_cast<void>(idle.sleep(forever_ns));
    }
  };
  const auto sender = [&] {
    shm::Doorbell bell(os, block);
    arrived.fetch_add(1);
    bell.ring_message();
  };
  expect_in_every_schedule("doorbell with messages", {[] {}, {receiver, sender, sender}, [] {}, 3});
}

}  // namespace
}  // namespace comex::rules
