// A storm of random calls of the whole C interface, most of them wrong, from one thread or several, and where
// there is no runtime. Each returns; nothing is written where it must not be; a right call is right
// afterwards.
//
// The seed is printed. COMEX_TEST_SEED repeats a run of one thread call by call.
#include <cstdio>

#include "conformance/storm_calls.h"
#include "support/seed.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// The threads of a storm move the same bytes at once, a fault of the program: these files touch only such
// bytes. The watch copies the numbers of a worker that goes on counting.
extern "C" const char* __tsan_default_suppressions() {
  return "race:src/kernels/\nrace:src/op/direct\nrace:src/runtime/opening/job_watch\n";
}
#endif
#endif

namespace comex::whole::storm {
namespace {

constexpr int world = COMEX_GROUP_WORLD;
constexpr int calls_of_a_storm = 70'000;
constexpr int calls_of_a_thread = 10'000;
constexpr int calls_without_runtime = 2'000;

struct Outcome {
  int good = 0;
  int refused = 0;
  int neither = 0;
};

Outcome blow(Confused& confused, int calls) {
  Outcome outcome;
  for (int i = 0; i < calls; ++i) {
    const auto& table = confused.below(2) == 0 ? transfers : others;
    confused.aim();
    const int result = table[confused.below(static_cast<unsigned>(table.size()))](confused);
    ++(result == COMEX_SUCCESS ? outcome.good : result == COMEX_FAILURE ? outcome.refused : outcome.neither);
  }
  return outcome;
}

unsigned long drawn_seed(const char* of) {
  const unsigned long seed = testing::chosen_seed(0, nullptr);
  std::printf("the seed of %s is %lu\n", of, seed);
  std::fflush(stdout);
  return seed;
}

class Storm : public ::testing::Test {
 protected:
  Storm() { comex_set_errors(COMEX_ERRORS_RETURN); }
  // A call without a runtime lets the process say who it is; the other tests speak of nobody.
  ~Storm() override {
    comex_set_errors(COMEX_ERRORS_ABORT);
    runtime::process().reporter.identify(nobody_);
  }

 private:
  const Identity nobody_ = runtime::process().reporter.identity();
};

class StormOverJob : public Storm {
 protected:
  // Handles that were given up take their refusals to the end.
  StormOverJob() { job_.expect_failure_at_the_end(); }

  // All that is under way ends, and what was refused has been told.
  void settle() {
    for (int mutex = 0; mutex < 2; ++mutex) {
      for (int worker = 0; worker < job_.workers(); ++worker) comex_unlock(mutex, worker);
    }
    comex_wait_all(world);
    comex_fence_all(world);
    comex_wait_all(world);
    EXPECT_EQ(comex_wait_all(world), COMEX_SUCCESS);
    EXPECT_EQ(comex_fence_all(world), COMEX_SUCCESS);
  }

  void expect_right_calls_to_be_right() {
    for (int worker = 0; worker < job_.workers(); ++worker) {
      long* const there = memory_.kept[static_cast<std::size_t>(worker)];
      long value[2] = {7 + worker, 0}, one = 1, found[2] = {};
      EXPECT_EQ(comex_put(value, there, sizeof value, worker, world), COMEX_SUCCESS);
      EXPECT_EQ(comex_acc(COMEX_ACC_LNG, &one, value, there, sizeof(long), worker, world), COMEX_SUCCESS);
      long old = 0;
      EXPECT_EQ(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, there + 1, 5, worker, world), COMEX_SUCCESS);
      EXPECT_EQ(old, 0);
      EXPECT_EQ(comex_fence_proc(worker, world), COMEX_SUCCESS);
      EXPECT_EQ(comex_get(there, found, sizeof found, worker, world), COMEX_SUCCESS);
      EXPECT_EQ(found[0], 2 * value[0]) << worker;
      EXPECT_EQ(found[1], 5) << worker;
      int is_mine = 0;
      EXPECT_EQ(comex_trylock(1, worker, &is_mine), COMEX_SUCCESS);
      EXPECT_EQ(is_mine, 1) << worker;
      EXPECT_EQ(comex_unlock(1, worker), COMEX_SUCCESS);
    }
    memory_.check();
  }

  // Workers 0 and 1 share a host; worker 2 is reached by messages.
  Job job_{{0, 0, 0, 1, 1}, {{"GA_NUM_PROGRESS_RANKS_PER_NODE", "1"}}};
  StormMemory memory_{job_};
};

TEST_F(Storm, without_a_runtime_refuses_what_needs_one) {
  Confused confused(drawn_seed("the storm without a runtime"), nullptr);
  Outcome outcome;
  {
    const Quiet quiet;
    outcome = blow(confused, calls_without_runtime);
    confused.end();
  }
  EXPECT_EQ(outcome.neither, 0);
  EXPECT_GT(outcome.refused, 9 * calls_without_runtime / 10);
  void* part[1] = {};
  EXPECT_NE(comex_malloc(part, 8, world), COMEX_SUCCESS);
  EXPECT_NE(comex_barrier(world), COMEX_SUCCESS);
  EXPECT_NE(comex_create_mutexes(1), COMEX_SUCCESS);
  EXPECT_EQ(comex_initialized(), 0);
}

TEST_F(StormOverJob, of_one_thread_leaves_all_as_it_was) {
  Confused confused(drawn_seed("the storm of one thread"), &memory_);
  Outcome outcome;
  {
    const Quiet quiet;
    outcome = blow(confused, calls_of_a_storm);
    confused.end();
    settle();
  }
  EXPECT_EQ(outcome.neither, 0);
  EXPECT_GT(outcome.good, calls_of_a_storm / 10) << "a storm of wrong calls only says little";
  EXPECT_GT(outcome.refused, calls_of_a_storm / 4);
  expect_right_calls_to_be_right();
}

TEST_F(StormOverJob, of_several_threads_leaves_all_as_it_was) {
  constexpr unsigned threads = 3;
  const unsigned long seed = drawn_seed("the storm of several threads");
  std::vector<Outcome> outcomes(threads);
  std::vector<std::unique_ptr<Confused>> confused;  // until all that moves from and to their memory has ended
  for (unsigned thread = 0; thread < threads; ++thread)
    confused.push_back(std::make_unique<Confused>(seed + thread, &memory_));
  {
    const Quiet quiet;
    comex_init_comm(MPI_COMM_NULL);  // the refusal finds out who this process is, as comex_init does
    std::vector<std::thread> running;
    for (unsigned thread = 0; thread < threads; ++thread) {
      running.emplace_back([&outcome = outcomes[thread], &of = *confused[thread]] {
        outcome = blow(of, calls_of_a_thread);
        of.end();
      });
    }
    for (std::thread& thread : running) thread.join();
    settle();
  }
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.neither, 0);
    EXPECT_GT(outcome.good, calls_of_a_thread / 10);
  }
  expect_right_calls_to_be_right();
}

}  // namespace
}  // namespace comex::whole::storm
