// Real processes on the real Os: what threads cannot show. Children leave by _exit or by a signal.
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "shm/locks/block_locks.h"
#include "support.h"

namespace comex::shm {
namespace {

int names_in_shm() {
  DIR* const dir = opendir("/dev/shm");
  if (dir == nullptr) return 1;
  int names = 0;
  while (const dirent* entry = readdir(dir)) names += entry->d_name[0] == '.' ? 0 : 1;
  closedir(dir);
  return names;
}

// A child that attaches and then runs `work`; its exit status is what `work` returns.
template <class Work>
pid_t child_of(const ArenaTicket& ticket, HostSlot slot, std::uint64_t address, Work work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const std::unique_ptr<Os> os = make_posix_os();
  Result<Arena> arena = Arena::attach(*os, ticket, slot);
  if (!arena) _exit(101);
  if (!arena->map_at(address)) _exit(102);
  _exit(work(arena.value()));
}

int status_of(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

// Waits for a word that a child writes; a child that ended instead fails the test.
bool comes_true(pid_t pid, const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  while (word.load() != value) {
    if (waitid(P_PID, static_cast<id_t>(pid), nullptr, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid) {
      return word.load() == value;
    }
    usleep(200);
  }
  return true;
}

class Processes : public testing::TestWithParam<Backing> {
 protected:
  std::unique_ptr<Os> os_ = make_posix_os();
  Arena arena_ = mapped_arena(*os_, small_arena(4, GetParam()));
  std::uint64_t address_ = reinterpret_cast<std::uintptr_t>(arena_.base());
  std::atomic<std::uint32_t>& word() {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(arena_.board(0).data());
  }
  static std::atomic<std::uint32_t>& word_in(Arena& arena) {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(arena.board(0).data());
  }
};

TEST_P(Processes, see_each_others_memory_at_one_address) {
  const Extent e = arena_.extents().allocate(0, 8192).value();
  auto* const mine = reinterpret_cast<std::uint64_t*>(arena_.at(e.offset));
  *mine = 41;
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [&](Arena& arena) {
    if (arena.extents().check(0, e.offset, 8192) != BoundsVerdict::ok) return 1;
    ++*mine;  // the parent's pointer
    return arena.extents().allocate(1, 5000) ? 0 : 2;
  });
  EXPECT_EQ(status_of(pid), 0);
  EXPECT_EQ(*mine, 42u);
  EXPECT_EQ(arena_.extents().totals().size(), 2u);
}

// The child that outlives its parent ends when this test lets go of the pipe.
TEST_P(Processes, are_dead_though_a_forked_child_lives_on) {
  int begun[2], over[2];
  ASSERT_EQ(pipe(begun) + pipe(over), 0);
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [&](Arena& arena) {
    char byte = 0;
    if (fork() == 0) {
      close(over[1]);
      arena.drop_life_in_child();
      const bool has_told = write(begun[1], &byte, 1) == 1;
      _exit(has_told && read(over[0], &byte, 1) == 0 ? 0 : 1);
    }
    return read(begun[0], &byte, 1) == 1 ? 0 : 1;
  });
  EXPECT_EQ(status_of(pid), 0);
  EXPECT_FALSE(arena_.is_alive(1));
  for (const int end : {begun[0], begun[1], over[0], over[1]}) close(end);
}

HostBarrier barrier_in(Arena& arena) {
  return {arena.os(), *reinterpret_cast<HostBarrierBlock*>(arena.board(0).data()), arena.geometry().slots};
}

TEST_P(Processes, count_together_under_a_stripe_and_a_mutex_and_meet_at_the_barrier) {
  const Extent e = arena_.extents().allocate(0, 8192).value();
  std::fill_n(arena_.at(e.offset), 8192, std::byte{0});
  std::vector<pid_t> pids;
  for (HostSlot slot = 1; slot < 4; ++slot) {
    pids.push_back(child_of(arena_.ticket(), slot, address_, [&, slot](Arena& arena) {
      auto* const counts = reinterpret_cast<std::uint64_t*>(arena.at(e.offset + 4096));
      FairMutex mutex = arena.mutex_at(e.offset);
      HostBarrier barrier = barrier_in(arena);
      BlockLocks locks(arena.stripes());
      const std::uint64_t block = (e.offset + 4096) / stripe_block_bytes;
      for (int i = 0; i < 500; ++i) {
        locks.lock(block);
        ++counts[0];
        locks.unlock(block);
        if (take(mutex, {slot, slot}) != LockResult::acquired) return 1;
        ++counts[1];
        if (!mutex.unlock({slot, slot})) return 2;
      }
      wait_at(barrier);
      return counts[0] == 1500 && counts[1] == 1500 ? 0 : 3;
    }));
  }
  HostBarrier barrier = barrier_in(arena_);
  wait_at(barrier);
  for (const pid_t pid : pids) EXPECT_EQ(status_of(pid), 0);
}

TEST_P(Processes, recover_a_lock_whose_holder_was_killed) {
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [](Arena& arena) {
    BlockLocks(arena.stripes()).lock(0);
    word_in(arena) = 1;
    while (true) pause();
    return 0;
  });
  ASSERT_TRUE(comes_true(pid, word(), 1));
  BlockLocks locks(arena_.stripes());
  EXPECT_FALSE(locks.try_lock(0));
  kill(pid, SIGKILL);
  EXPECT_EQ(status_of(pid), 1000 + SIGKILL);
  locks.lock(0);
  EXPECT_TRUE(locks.is_recovered());
}

TEST_P(Processes, do_not_take_a_lock_from_one_that_is_only_stopped) {
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [](Arena& arena) {
    BlockLocks locks(arena.stripes());
    locks.lock(0);
    word_in(arena) = 1;
    while (word_in(arena) != 2) usleep(1000);
    locks.unlock(0);
    return 0;
  });
  ASSERT_TRUE(comes_true(pid, word(), 1));
  kill(pid, SIGSTOP);
  OwnerLock lock = arena_.stripes().lock_of(0);
  EXPECT_EQ(lock.try_recover(arena_.lock_party()), LockResult::busy);
  word() = 2;
  kill(pid, SIGCONT);
  EXPECT_EQ(lock.lock(arena_.lock_party()), LockResult::acquired);
  lock.unlock(arena_.lock_party());
  EXPECT_EQ(status_of(pid), 0);
}

TEST_P(Processes, are_taken_over_from_in_the_mutex_queue) {
  const Extent e = arena_.extents().allocate(0, 4096).value();
  std::fill_n(arena_.at(e.offset), 4096, std::byte{0});
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [&](Arena& arena) {
    FairMutex mutex = arena.mutex_at(e.offset);
    static_cast<void>(take(mutex, {1, 1}));
    word_in(arena) = 1;
    while (true) pause();
    return 0;
  });
  ASSERT_TRUE(comes_true(pid, word(), 1));
  kill(pid, SIGKILL);
  EXPECT_EQ(status_of(pid), 1000 + SIGKILL);
  FairMutex mutex = arena_.mutex_at(e.offset);
  EXPECT_EQ(take(mutex, {0, 0}), LockResult::taken_over);
  EXPECT_TRUE(mutex.unlock({0, 0}));
}

// Whoever is killed in line, on the way in or on the way out: those who live get their turns.
TEST_P(Processes, keep_a_mutex_going_when_killed_at_any_moment_of_locking) {
  const Extent e = arena_.extents().allocate(0, 4096).value();
  std::fill_n(arena_.at(e.offset), 4096, std::byte{0});
  std::mt19937 random(12);
  for (int round = 0; round < 10; ++round) {
    word() = 0;
    std::vector<pid_t> pids;
    for (HostSlot slot = 1; slot < 4; ++slot) {
      pids.push_back(child_of(arena_.ticket(), slot, address_, [&, slot](Arena& arena) {
        FairMutex mutex = arena.mutex_at(e.offset);
        for (word_in(arena).fetch_add(1);;) {
          if (slot != 3) {
            static_cast<void>(take(mutex, {slot, slot}));
          } else if (mutex.try_lock({slot, slot}) == LockResult::busy) {
            continue;
          }
          if (!mutex.unlock({slot, slot})) return 1;
        }
        return 0;
      }));
    }
    ASSERT_TRUE(comes_true(pids[0], word(), 3));
    FairMutex mutex = arena_.mutex_at(e.offset);
    std::shuffle(pids.begin(), pids.end(), random);
    for (const pid_t pid : pids) {
      usleep(static_cast<useconds_t>(random() % 1000));
      kill(pid, SIGKILL);
      ASSERT_EQ(status_of(pid), 1000 + SIGKILL);
      ASSERT_NE(take(mutex, {0, 0}), LockResult::busy);
      ASSERT_TRUE(mutex.unlock({0, 0}));
    }
    EXPECT_NE(mutex.try_lock({0, 0}), LockResult::busy);
    ASSERT_TRUE(mutex.unlock({0, 0}));
  }
}

TEST_P(Processes, leave_a_sound_arena_when_killed_at_any_moment_of_allocating) {
  std::mt19937 random(11);
  for (int round = 0; round < 15; ++round) {
    word() = 0;
    const pid_t pid = child_of(arena_.ticket(), 1, address_, [round](Arena& arena) {
      std::mt19937 mine(static_cast<unsigned>(round));
      std::vector<std::uint64_t> live;
      word_in(arena) = 1;
      while (true) {
        if (live.size() < 50 && mine() % 3 != 0) {
          const Result<Extent> made = arena.extents().allocate(1, 1 + mine() % 20000);
          if (!made) return 1;
          live.push_back(made->offset);
        } else if (!live.empty()) {
          if (!arena.extents().release(live.back())) return 2;
          live.pop_back();
        }
      }
      return 0;
    });
    ASSERT_TRUE(comes_true(pid, word(), 1));
    usleep(static_cast<useconds_t>(random() % 3000));
    kill(pid, SIGKILL);
    ASSERT_EQ(status_of(pid), 1000 + SIGKILL);
    const Result<Extent> made = arena_.extents().allocate(0, 10000);
    ASSERT_TRUE(made) << made.failure().text;
    std::fill_n(arena_.at(made->offset), 10000, std::byte{1});  // granted, whatever happened
    for (const Extent& left : arena_.extents().live()) ASSERT_TRUE(arena_.extents().release(left.offset));
  }
  EXPECT_TRUE(is_consistent(arena_));
}

// Kills processes that create, map and fill arenas; 0 = never was there a name.
int names_seen_while_killing(Backing backing) {
  std::mt19937 random(5);
  int names = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t pid = fork();
    if (pid == 0) {
      const std::unique_ptr<Os> os = make_posix_os();
      while (true) {
        Arena arena = mapped_arena(*os, small_arena(2, backing));
        static_cast<void>(arena.extents().allocate(0, 1 << 20));
      }
    }
    usleep(static_cast<useconds_t>(random() % 5000));
    names += names_in_shm();
    kill(pid, SIGKILL);
    names += status_of(pid) == 1000 + SIGKILL ? 0 : 1000;
    names += names_in_shm();
  }
  return std::min(names, 76);
}

TEST_P(Processes, leave_no_name_behind_when_killed_at_any_moment) {
  constexpr int skipped = 77;
  const pid_t pid = fork();
  if (pid == 0) {  // in a mount namespace of its own: other programs use /dev/shm too
    const bool is_alone = unshare(CLONE_NEWNS) == 0 && mount("", "/", "", MS_REC | MS_PRIVATE, "") == 0 &&
                          mount("tmpfs", "/dev/shm", "tmpfs", 0, "") == 0;
    _exit(is_alone ? names_seen_while_killing(GetParam()) : skipped);
  }
  const int status = status_of(pid);
  if (status == skipped) GTEST_SKIP() << "a mount namespace is refused here (needs root)";
  EXPECT_EQ(status, 0);
}

TEST_P(Processes, share_an_object_that_has_no_name) {
  const ObjectName& name = arena_.ticket().object;
  struct stat facts {};
  const std::string path = "/proc/" + std::to_string(name.pid) + "/fd/" + std::to_string(name.descriptor);
  ASSERT_EQ(stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0u);
}

TEST_P(Processes, forked_from_a_rank_leave_its_arena_alone) {
  auto arena = std::make_unique<Arena>(mapped_arena(*os_, small_arena(1, GetParam())));
  const Extent e = arena->extents().allocate(0, 4096).value();
  const pid_t pid = fork();
  if (pid == 0) {
    arena.reset();  // as an exit handler of a forked child would
    _exit(0);
  }
  EXPECT_EQ(status_of(pid), 0);
  EXPECT_TRUE(arena->is_alive(0));
  EXPECT_EQ(arena->extents().check(0, e.offset, 4096), BoundsVerdict::ok);
  *arena->at(e.offset) = std::byte{1};
}

TEST_P(Processes, get_an_error_and_no_signal_from_a_file_size_limit) {
  const pid_t pid = child_of(arena_.ticket(), 1, address_, [](Arena& arena) {
    const rlimit limit{64 << 20, 64 << 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    const Result<Extent> made = arena.extents().allocate(1, 100 << 20);
    if (made) return 2;
    return made.failure().text.find("ulimit -f") != std::string::npos ? 0 : 3;
  });
  EXPECT_EQ(status_of(pid), 0);
}

std::string backing_name(const testing::TestParamInfo<Backing>& info) {
  return info.param == Backing::memfd ? "memfd" : "tmpfile";
}
INSTANTIATE_TEST_SUITE_P(Both, Processes, testing::Values(Backing::memfd, Backing::posix), backing_name);

}  // namespace
}  // namespace comex::shm
