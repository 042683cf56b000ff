#include "shm/locks/fair_mutex.h"

#include <thread>

#include "support.h"

namespace comex::shm {
namespace {

// With real futexes and life locks, and with the in-memory ones. Slots 0 and 1 live, 2 and 3 are dead.
class MutexOnEachOs : public testing::TestWithParam<OsCase> {
 protected:
  std::unique_ptr<Os> os_ = GetParam().make();
  Arena arena_ = mapped_arena(*os_, small_arena(4, GetParam().backing));
  Arena other_ = attached_arena(*os_, arena_.ticket(), 1, 0);
  const Object* object_ = arena_.lock_party().object;
  FairMutexBlock block_{};
  FairMutex mutex_{*os_, *object_, block_, arena_.doorbells()};

  MutexTurn in_line(const MutexParty& party) {
    MutexTurn turn;
    EXPECT_EQ(mutex_.step(turn, party, false), LockResult::busy);
    EXPECT_TRUE(turn.is_in_line);
    return turn;
  }
  void expect_holder(Worker worker) { EXPECT_EQ(mutex_.holder(), worker); }
  void let_a_trylock_ask() { block_.asked_ns = 0; }

  const MutexParty me_{10, 0};
  const MutexParty you_{11, 1};
  const MutexParty dead_{12, 2};
  const MutexParty also_dead_{13, 3};
};

TEST_P(MutexOnEachOs, serves_in_the_order_of_asking) {
  ASSERT_EQ(take(mutex_, me_), LockResult::acquired);
  MutexTurn second = in_line(you_);
  MutexTurn third = in_line(me_);
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::busy);
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_EQ(mutex_.step(third, me_, true), LockResult::busy);
  EXPECT_EQ(mutex_.step(second, you_, false), LockResult::acquired);
  expect_holder(11);
  ASSERT_TRUE(mutex_.unlock(you_));
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::busy) << "one waits";
  EXPECT_EQ(mutex_.step(third, me_, false), LockResult::acquired);
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_FALSE(mutex_.holder());
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::acquired);
}

TEST_P(MutexOnEachOs, is_unlocked_by_its_holder_only) {
  EXPECT_FALSE(mutex_.unlock(me_));
  ASSERT_EQ(take(mutex_, me_), LockResult::acquired);
  const Status refused = mutex_.unlock(you_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.failure().text.find("worker 10"), std::string::npos);
  EXPECT_TRUE(mutex_.unlock(me_));
  EXPECT_FALSE(mutex_.unlock(me_));
}

TEST_P(MutexOnEachOs, is_unlocked_by_the_endpoint_that_holds_it) {
  const MutexParty first{10, 0, false, 1};
  const MutexParty second{10, 0, false, 2};
  for (const bool is_taken_over : {false, true}) {
    if (is_taken_over) {
      ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
      let_a_trylock_ask();
    }
    ASSERT_NE(mutex_.try_lock(first), LockResult::busy);
    MutexTurn turn = in_line(second);
    const Status refused = mutex_.unlock(second);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.failure().text.find("another endpoint of worker 10"), std::string::npos);
    EXPECT_FALSE(mutex_.unlock(me_)) << "nor by the process itself";
    ASSERT_TRUE(mutex_.unlock(first));
    EXPECT_EQ(mutex_.step(turn, second, false), LockResult::acquired);
    EXPECT_FALSE(mutex_.unlock(first));
    ASSERT_TRUE(mutex_.unlock(second));
  }
}

TEST_P(MutexOnEachOs, lets_one_in_at_a_time) {
  long counter = 0;
  std::vector<std::thread> threads;
  for (Worker worker = 0; worker < 4; ++worker) {
    threads.emplace_back([&, worker] {
      const MutexParty party{worker, worker % 2};
      for (int i = 0; i < 1500; ++i) {
        if (worker == 3) {
          while (mutex_.try_lock(party) != LockResult::acquired) os_->yield();
        } else {
          ASSERT_EQ(take(mutex_, party), LockResult::acquired);
        }
        ++counter;
        ASSERT_TRUE(mutex_.unlock(party));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter, 6000);
  EXPECT_EQ(block_.sleepers.load(), 0u);
}

TEST_P(MutexOnEachOs, rings_the_server_that_waits_for_others) {
  const MutexParty remote{9, 3, true};
  ASSERT_EQ(take(mutex_, me_), LockResult::acquired);
  MutexTurn turn = in_line(remote);
  mutex_.set_bell(3);
  const std::uint32_t seen = arena_.doorbell(3).seen();
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_NE(arena_.doorbell(3).seen(), seen);
  EXPECT_EQ(mutex_.step(turn, remote, false), LockResult::acquired);
  const std::uint32_t now = arena_.doorbell(3).seen();
  ASSERT_TRUE(mutex_.unlock(remote));
  EXPECT_EQ(arena_.doorbell(3).seen(), now);  // nobody waits: no ring
}

TEST_P(MutexOnEachOs, is_taken_over_from_a_dead_holder_by_the_next_in_line) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  MutexTurn next = in_line(me_);
  MutexTurn later = in_line(you_);
  EXPECT_EQ(mutex_.step(later, you_, true), LockResult::busy) << "one that lives is before it";
  EXPECT_EQ(mutex_.step(next, me_, false), LockResult::busy) << "it did not ask";
  EXPECT_EQ(mutex_.step(next, me_, true), LockResult::taken_over);
  expect_holder(10);
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_EQ(mutex_.step(later, you_, false), LockResult::acquired);
}

TEST_P(MutexOnEachOs, passes_by_one_that_died_in_line) {
  ASSERT_EQ(take(mutex_, you_), LockResult::acquired);
  MutexTurn gone = in_line(dead_);
  in_line(also_dead_);
  MutexTurn mine = in_line(me_);
  EXPECT_EQ(mutex_.step(mine, me_, true), LockResult::busy) << "the holder lives";
  ASSERT_TRUE(mutex_.unlock(you_));
  EXPECT_EQ(mutex_.step(mine, me_, true), LockResult::acquired) << "nobody died inside";
  expect_holder(10);
  EXPECT_TRUE(mutex_.is_passed_over(gone));
  EXPECT_FALSE(mutex_.is_passed_over(mine));
  EXPECT_EQ(mutex_.step(gone, dead_, true), LockResult::busy);
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::acquired);
}

// Whether a worker of another host lives cannot be asked here.
TEST_P(MutexOnEachOs, is_taken_over_from_a_holder_on_another_host_once_that_is_declared_dead) {
  const MutexParty far{20, 0, true};
  ASSERT_EQ(take(mutex_, far), LockResult::acquired);
  MutexTurn next = in_line(me_);
  mutex_.declare_dead(21);  // another one
  EXPECT_EQ(mutex_.step(next, me_, true), LockResult::busy);
  mutex_.declare_dead(20);
  EXPECT_EQ(mutex_.step(next, me_, true), LockResult::taken_over);
  EXPECT_EQ(mutex_.dead_holder(), std::optional<Worker>(20));
  mutex_.declare_dead(20);  // it holds nothing any more
  EXPECT_TRUE(mutex_.unlock(me_));
}

TEST_P(MutexOnEachOs, is_taken_over_past_the_dead_behind_a_dead_holder) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  in_line(also_dead_);
  MutexTurn mine = in_line(me_);
  EXPECT_EQ(mutex_.step(mine, me_, true), LockResult::taken_over);
  EXPECT_TRUE(mutex_.unlock(me_));
}

TEST_P(MutexOnEachOs, tells_of_a_death_inside_although_the_one_that_took_over_dies_too) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  MutexTurn first = in_line(also_dead_);
  ASSERT_EQ(mutex_.step(first, also_dead_, true), LockResult::taken_over);
  block_.holder = 0;  // as if it had died before it signed
  MutexTurn mine = in_line(me_);
  EXPECT_EQ(mutex_.step(mine, me_, true), LockResult::taken_over);
}

// It was only taken for dead, and goes on.
TEST_P(MutexOnEachOs, is_refused_to_one_whose_place_was_taken_over) {
  MutexTurn lost;
  ASSERT_EQ(mutex_.step(lost, dead_, false), LockResult::acquired);
  let_a_trylock_ask();
  ASSERT_EQ(mutex_.try_lock(me_), LockResult::taken_over);
  for (const bool asks : {false, true}) EXPECT_EQ(mutex_.step(lost, dead_, asks), LockResult::busy);
  expect_holder(10);
  EXPECT_FALSE(mutex_.unlock(dead_));
  EXPECT_TRUE(mutex_.unlock(me_));
}

TEST_P(MutexOnEachOs, is_not_taken_from_a_holder_of_another_host) {
  ASSERT_EQ(take(mutex_, {7, 2, true}), LockResult::acquired);
  MutexTurn mine = in_line(me_);
  EXPECT_EQ(mutex_.step(mine, me_, true), LockResult::busy);
  let_a_trylock_ask();
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::busy);
}

TEST_P(MutexOnEachOs, is_taken_over_by_a_trylock_when_all_in_line_are_dead) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  in_line(also_dead_);
  EXPECT_EQ(mutex_.try_lock(me_), LockResult::taken_over);
  expect_holder(10);
  let_a_trylock_ask();
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::busy);
  ASSERT_TRUE(mutex_.unlock(me_));
  let_a_trylock_ask();
  EXPECT_EQ(mutex_.try_lock(you_), LockResult::acquired) << "past the one that died in line";
}

TEST_P(MutexOnEachOs, is_left_by_a_trylock_to_those_who_stand_in_line) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  MutexTurn yours = in_line(you_);
  EXPECT_EQ(mutex_.try_lock(me_), LockResult::busy);
  EXPECT_EQ(mutex_.step(yours, you_, true), LockResult::taken_over);
}

TEST_P(MutexOnEachOs, lets_trylocks_ask_whether_the_holder_lives_now_and_then_only) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  const std::uint64_t now = os_->now_ns();
  for (block_.asked_ns = now; mutex_.try_lock(me_) == LockResult::busy;) continue;
  EXPECT_GE(block_.asked_ns - now, 50'000'000U);  // by the clock of the block, not of this test
  ASSERT_TRUE(mutex_.unlock(me_));
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  let_a_trylock_ask();
  EXPECT_EQ(mutex_.try_lock(me_), LockResult::taken_over);
  EXPECT_NE(block_.asked_ns.load(), 0u);
}

TEST_P(MutexOnEachOs, takes_those_beyond_its_places_in_as_places_get_free) {
  ASSERT_EQ(take(mutex_, me_), LockResult::acquired);
  for (std::uint32_t i = 1; i < mutex_places; ++i) in_line(dead_);
  MutexTurn mine;
  EXPECT_EQ(mutex_.step(mine, you_, true), LockResult::busy);
  EXPECT_FALSE(mine.is_in_line);
  ASSERT_TRUE(mutex_.unlock(me_));
  EXPECT_EQ(mutex_.step(mine, you_, false), LockResult::busy);
  EXPECT_TRUE(mine.is_in_line);
  EXPECT_EQ(mutex_.step(mine, you_, true), LockResult::acquired);
}

TEST_P(MutexOnEachOs, is_taken_over_when_its_places_are_full_of_the_dead) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  for (std::uint32_t i = 1; i < mutex_places; ++i) in_line(dead_);
  MutexTurn mine;
  EXPECT_EQ(mutex_.step(mine, you_, true), LockResult::taken_over);
  expect_holder(11);
}

TEST_P(MutexOnEachOs, is_not_held_up_by_one_that_died_before_it_moved_the_next_ticket_on) {
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  block_.next = 0;
  EXPECT_EQ(mutex_.try_lock(me_), LockResult::taken_over);
  ASSERT_TRUE(mutex_.unlock(me_));
  ASSERT_EQ(take(mutex_, dead_), LockResult::acquired);
  block_.next = 1;
  MutexTurn mine = in_line(me_);
  EXPECT_EQ(mine.ticket, 2u);
}

TEST_P(MutexOnEachOs, survives_the_wrap_of_its_counters) {
  for (const std::uint32_t start : {~0u - 2, ~0u - mutex_places - 2}) {
    block_.next = start;
    block_.serving = start;
    for (std::uint32_t i = 0; i < 2 * mutex_places; ++i) {
      ASSERT_EQ(take(mutex_, me_), LockResult::acquired);
      EXPECT_EQ(mutex_.try_lock(me_), LockResult::busy);
      ASSERT_TRUE(mutex_.unlock(me_));
    }
    for (auto& place : block_.places) place = 0;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, MutexOnEachOs, testing::ValuesIn(os_cases()), case_name);

}  // namespace
}  // namespace comex::shm
