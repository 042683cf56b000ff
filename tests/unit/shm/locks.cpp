#include "shm/locks/locks.h"

#include <thread>
#include <vector>

#include "shm/locks/block_locks.h"

#include "support.h"

namespace comex::shm {
namespace {

// The conformance of waiting: the same tests with real futexes and with the in-memory ones.
class LocksOnEachOs : public testing::TestWithParam<OsCase> {
 protected:
  std::unique_ptr<Os> os_ = GetParam().make();
  Arena arena_ = mapped_arena(*os_, small_arena(4, GetParam().backing));
  const Object* object_ = arena_.lock_party().object;
  LockParty party(HostSlot slot) { return {os_.get(), object_, slot}; }
  // Of slots 1 and on. A lock of 50 ms is taken over from a slot that holds none.
  std::vector<Object> hold_lives(HostSlot slots) {
    std::vector<Object> lives;
    for (HostSlot slot = 1; slot < slots; ++slot) lives.push_back(os_->hold_life(*object_, slot).value());
    return lives;
  }
};

TEST_P(LocksOnEachOs, an_owner_lock_lets_one_in_at_a_time) {
  const std::vector<Object> lives = hold_lives(4);
  OwnerLockWord word{0};
  long counter = 0;
  std::vector<std::thread> threads;
  for (HostSlot slot = 0; slot < 4; ++slot) {
    threads.emplace_back([&, slot] {
      for (int i = 0; i < 5000; ++i) {
        OwnerLock lock(word);
        static_cast<void>(lock.lock(party(slot)));
        ++counter;
        if (i % 500 == 0) os_->yield();
        lock.unlock(party(slot));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 20000);
  EXPECT_EQ(word.load(), 0u);
}

TEST_P(LocksOnEachOs, an_owner_lock_wakes_those_who_sleep) {
  const std::vector<Object> lives = hold_lives(3);
  OwnerLockWord word{0};
  OwnerLock lock(word);
  ASSERT_EQ(lock.lock(party(0)), LockResult::acquired);
  std::vector<std::thread> threads;
  for (HostSlot slot = 0; slot < 3; ++slot) {
    threads.emplace_back([&, slot] {
      OwnerLock mine(word);
      EXPECT_EQ(mine.lock(party(slot)), LockResult::acquired);
      mine.unlock(party(slot));
    });
  }
  while ((word.load() & OwnerLock::contended_bit) == 0) os_->yield();  // somebody is about to sleep
  os_->sleep_ns(1'000'000);
  lock.unlock(party(0));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(word.load(), 0u);
}

TEST_P(LocksOnEachOs, an_owner_lock_is_taken_over_only_from_the_dead) {
  OwnerLockWord word{0};
  OwnerLock lock(word);
  {
    const Arena killed = attached_arena(*os_, arena_.ticket(), 1, 0);
    ASSERT_EQ(lock.lock(party(1)), LockResult::acquired);
    EXPECT_EQ(lock.try_lock(party(0)), LockResult::busy);
    EXPECT_EQ(lock.try_recover(party(0)), LockResult::busy);
  }
  EXPECT_EQ(lock.lock(party(0)), LockResult::taken_over);
  EXPECT_EQ(lock.epoch(), 1u);
  lock.unlock(party(0));
  EXPECT_EQ(lock.lock(party(0)), LockResult::acquired);
  lock.unlock(party(0));
  EXPECT_EQ(lock.epoch(), 1u);
}

TEST_P(LocksOnEachOs, a_poller_takes_over_without_waiting) {
  OwnerLockWord word{0};
  OwnerLock lock(word);
  ASSERT_EQ(lock.lock(party(3)), LockResult::acquired);  // nobody holds slot 3's life
  EXPECT_EQ(lock.try_lock(party(0)), LockResult::busy);
  EXPECT_EQ(lock.try_recover(party(0)), LockResult::taken_over);
  lock.unlock(party(0));
  EXPECT_FALSE(lock.is_locked());
}

TEST_P(LocksOnEachOs, two_neighbouring_blocks_are_held_together_or_not_at_all) {
  Stripes& stripes = arena_.stripes();
  BlockLocks locks(stripes);
  BlockLocks others(stripes);
  locks.lock_two(4, 5);
  EXPECT_TRUE(stripes.lock_of(4).is_locked());
  EXPECT_TRUE(stripes.lock_of(5).is_locked());
  EXPECT_FALSE(stripes.lock_of(6).is_locked());
  EXPECT_FALSE(others.try_lock(5));
  EXPECT_FALSE(others.try_lock_two(3, 4));
  EXPECT_FALSE(stripes.lock_of(3).is_locked()) << "half of what was refused stays locked";
  ASSERT_TRUE(others.try_lock_two(6, 7));
  others.unlock_two(6, 7);
  locks.unlock_two(4, 5);
  for (std::uint32_t stripe = 3; stripe < 8; ++stripe)
    EXPECT_FALSE(stripes.lock_of(stripe).is_locked()) << stripe;
}

TEST_P(LocksOnEachOs, blocks_of_one_stripe_are_locked_once) {
  BlockLocks locks(arena_.stripes());
  locks.lock_two(2, stripe_count + 2);
  EXPECT_TRUE(arena_.stripes().lock_of(2).is_locked());
  locks.unlock_two(2, stripe_count + 2);
  EXPECT_FALSE(arena_.stripes().lock_of(2).is_locked());
  EXPECT_TRUE(locks.try_lock_two(2, stripe_count + 2));
  locks.unlock_two(2, stripe_count + 2);
}

TEST_P(LocksOnEachOs, blocks_across_the_wrap_do_not_deadlock) {
  long counter = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      BlockLocks locks(arena_.stripes());
      const std::uint64_t first = t == 0 ? stripe_count - 1 : 0;
      for (int i = 0; i < 3000; ++i) {
        locks.lock_two(first, first + 1);
        ++counter;  // both hold stripe 0
        locks.unlock_two(first, first + 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 6000);
}

INSTANTIATE_TEST_SUITE_P(Both, LocksOnEachOs, testing::ValuesIn(os_cases()), case_name);

}  // namespace
}  // namespace comex::shm
