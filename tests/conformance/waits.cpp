// comex_wait_until: what it takes for a word, and who wakes it. And calls that a program repeats in place of
// a wait.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "conformance/job_rig.h"

namespace {
thread_local int yields = 0;
}  // namespace

// In place of the C library's, to count.
extern "C" int sched_yield() noexcept {
  ++yields;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace comex::whole {
namespace {

// Worker 0 is the program; worker 1 is on another host, behind a progress rank.
class WaitUntil : public testing::Test {
 protected:
  Job job_{{0, 0, 1, 1}, {}};
  long* word_ = job_.allocate<long>(0, 4);
};

TEST_F(WaitUntil, sees_what_a_thread_stores_without_ringing) {
  std::thread other([this] {
    for (long value = 1; value <= 20; ++value) {
      while (std::atomic_ref(word_[1]).load() != value) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the waiter has gone to sleep, mostly
      std::atomic_ref(word_[0]).store(value, std::memory_order_release);
    }
  });
  for (long value = 1; value <= 20; ++value) {
    std::atomic_ref(word_[1]).store(value);
    EXPECT_EQ(comex_wait_until(word_, COMEX_CMP_GE, value), COMEX_SUCCESS);
    EXPECT_EQ(std::atomic_ref(word_[0]).load(), value);
  }
  other.join();
}

TEST_F(WaitUntil, knows_every_comparison) {
  *word_ = 5;
  for (const auto& [compare, value] :
       {std::pair{COMEX_CMP_EQ, 5L}, std::pair{COMEX_CMP_NE, 4L}, std::pair{COMEX_CMP_GT, 4L},
        std::pair{COMEX_CMP_GE, 5L}, std::pair{COMEX_CMP_LT, 6L}, std::pair{COMEX_CMP_LE, 5L}}) {
    EXPECT_EQ(comex_wait_until(word_, compare, value), COMEX_SUCCESS) << compare;
  }
}

TEST_F(WaitUntil, refuses_a_word_that_is_null_or_not_aligned) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  testing::internal::CaptureStderr();
  auto* const crooked = reinterpret_cast<long*>(reinterpret_cast<char*>(word_) + 4);
  EXPECT_EQ(comex_wait_until(crooked, COMEX_CMP_EQ, 0), COMEX_FAILURE);
  EXPECT_EQ(comex_wait_until(nullptr, COMEX_CMP_EQ, 0), COMEX_FAILURE);
  const std::string said = testing::internal::GetCapturedStderr();
  comex_set_errors(COMEX_ERRORS_ABORT);
  EXPECT_EQ(std::ranges::count(said, '\n'), 2) << said;
  EXPECT_NE(said.find("wait_until"), std::string::npos) << said;
  EXPECT_NE(said.find("not aligned to its 8 bytes"), std::string::npos) << said;
}

// Who holds the mutex, or moves the data, may need the core of the one that asks.
TEST(RepeatedCalls, yield_where_ranks_outnumber_cores) {
  Job job({0, 0}, {});
  job.create_mutexes(1);
  shm::Arena& arena = job.arena_of(0);
  shm::Arena holder = shm::Arena::attach_guest(arena.os(), arena.ticket()).value();
  shm::MutexTurn turn;
  ASSERT_EQ(holder.mutex_at(job.mutex_offset(0, 0)).step(turn, {99, holder.slot()}, false),
            shm::LockResult::acquired);
  for (const bool oversubscribed : {false, true}) {
    job.runtime(0).world().wait_policy.oversubscribed = oversubscribed;
    int acquired = 1;
    const int before = yields;
    EXPECT_EQ(comex_trylock(0, 0, &acquired), COMEX_SUCCESS);
    EXPECT_EQ(acquired, 0);
    EXPECT_EQ(comex_progress(), COMEX_SUCCESS);
    EXPECT_EQ(yields - before, oversubscribed ? 2 : 0);
  }
}

}  // namespace
}  // namespace comex::whole
