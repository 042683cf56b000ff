// What a process that died with a lock leaves behind: whoever takes the lock over goes on, and says in one
// line that what it guarded may be half updated. On the own host, and by the server of another.
#include "conformance/job_rig.h"
#include "shm/locks/block_locks.h"

namespace comex::whole {
namespace {

// Worker 0 is the program; worker 1 is on another host, behind a progress rank.
class DeadHolders : public testing::TestWithParam<int> {
 protected:
  static constexpr int large = 40'000;  // longs: several chunks, many blocks
  DeadHolders() { job_.create_mutexes(2); }

  // A process of a worker's host that takes something and is gone.
  template <class Take>
  void die_with(Take&& take) {
    shm::Arena& arena = job_.arena_of(GetParam());
    shm::Arena dead = shm::Arena::attach_guest(arena.os(), arena.ticket()).value();
    take(dead);
  }
  void die_with_the_stripe_of(const long* word) {
    const std::uint64_t offset = job_.arena_of(GetParam()).offset_of(word);
    die_with([offset](shm::Arena& dead) {
      shm::BlockLocks locks(dead.stripes());
      locks.lock(offset / shm::stripe_block_bytes);
      ASSERT_FALSE(locks.is_recovered());
    });
  }
  void die_with_the_mutex(std::uint64_t index) {
    const std::uint64_t offset = job_.mutex_offset(GetParam(), index);
    die_with([offset](shm::Arena& dead) {
      shm::MutexTurn turn;
      ASSERT_EQ(dead.mutex_at(offset).step(turn, {99, dead.slot()}, false), shm::LockResult::acquired);
    });
  }

  template <class Call>
  std::string said_by(Call&& call) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(), COMEX_SUCCESS);
    EXPECT_EQ(comex_fence_proc(GetParam(), COMEX_GROUP_WORLD), COMEX_SUCCESS);
    return testing::internal::GetCapturedStderr();
  }
  // Begins with who says it, as every line about an operation does.
  std::string line_of(const std::string& call, const std::string& rest) const {
    const std::string for_whom = GetParam() == 0 ? "" : "for worker 0: ";
    return "comex: a rank on an unknown host: " + call + " to target " + std::to_string(GetParam()) + ": " +
           for_whom + rest + "\n";
  }
  std::string line_about_memory(const std::string& call) const {
    return line_of(call,
                   "a lock on its memory was taken over from a process that died with it; "
                   "what it guarded may be half updated");
  }

  Job job_{{0, 0, 1, 1}, {{"COMEX_CHUNK_BYTES", "16k"}}};
  long* there_ = job_.allocate<long>(GetParam(), large);
  std::vector<long> ones_ = std::vector<long>(large, 1);
  long one_ = 1;
};

TEST_P(DeadHolders, of_the_block_of_a_small_accumulate_are_told_of_in_one_line) {
  die_with_the_stripe_of(there_);
  EXPECT_EQ(said_by([&] {
              return comex_acc(COMEX_ACC_LNG, &one_, ones_.data(), there_, 8, GetParam(), COMEX_GROUP_WORLD);
            }),
            line_about_memory("acc"));
  EXPECT_EQ(there_[0], 1);
}

TEST_P(DeadHolders, of_a_block_in_the_middle_of_a_large_accumulate_are_told_of_in_one_line) {
  die_with_the_stripe_of(there_ + large / 2);
  EXPECT_EQ(said_by([&] {
              return comex_acc(COMEX_ACC_LNG, &one_, ones_.data(), there_, large * 8, GetParam(),
                               COMEX_GROUP_WORLD);
            }),
            line_about_memory("acc"));
  EXPECT_EQ(std::vector<long>(there_, there_ + large), ones_);
}

TEST_P(DeadHolders, of_a_block_of_a_strided_accumulate_are_told_of_in_one_line) {
  int near_stride[] = {8}, far_stride[] = {80'000}, count[] = {8, 4};
  die_with_the_stripe_of(there_ + 20'000);
  EXPECT_EQ(said_by([&] {
              return comex_accs(COMEX_ACC_LNG, &one_, ones_.data(), near_stride, there_, far_stride, count, 1,
                                GetParam(), COMEX_GROUP_WORLD);
            }),
            line_about_memory("accs"));
  for (int row = 0; row < 4; ++row) EXPECT_EQ(there_[row * 10'000], 1);
}

TEST_P(DeadHolders, of_the_block_of_one_of_many_collected_accumulates_are_told_of_in_one_line) {
  die_with_the_stripe_of(there_ + 20'000);
  EXPECT_EQ(said_by([&] {
              int failed = 0;
              for (int i = 0; i < 4; ++i) {
                failed += comex_nbacc(COMEX_ACC_LNG, &one_, ones_.data(), there_ + i * 10'000, 8, GetParam(),
                                      COMEX_GROUP_WORLD, nullptr);
              }
              return failed;
            }),
            line_about_memory("nbacc"));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(there_[i * 10'000], 1);
}

TEST_P(DeadHolders, of_a_mutex_are_told_of_in_one_line_by_who_gets_it) {
  for (const bool tries : {false, true}) {
    const int index = tries ? 1 : 0;
    die_with_the_mutex(static_cast<std::uint64_t>(index));
    int acquired = tries ? 0 : 1;
    const std::string said = said_by(
        [&] { return tries ? comex_trylock(index, GetParam(), &acquired) : comex_lock(index, GetParam()); });
    EXPECT_EQ(acquired, 1);
    EXPECT_EQ(said,
              line_of(tries ? "trylock" : "lock", "mutex " + std::to_string(index) +
                                                      " was taken over from worker 99, which died with it; "
                                                      "what it guards may be half updated"));
    EXPECT_EQ(comex_unlock(index, GetParam()), COMEX_SUCCESS);
  }
}

std::string holders_host(const testing::TestParamInfo<int>& info) {
  return info.param == 0 ? "the_caller" : "another";
}
INSTANTIATE_TEST_SUITE_P(OnTheHostOf, DeadHolders, testing::Values(0, 1), holders_host);

}  // namespace
}  // namespace comex::whole
