// Small non-blocking operations travel together: they add up, keep their order, and arrive unasked.
//
// Usage: coalesce [threads] [one_at_a_time]
//        coalesce windows: only what windows_test counts
#include <numeric>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr long many = 100000;

class Coalesce {
 public:
  explicit Coalesce(const Job& job) : job_(job), words_(job, 256), next_((job.me + 1) % job.workers) {}

  // From all workers to one word each of everybody.
  void accumulates_add_up() {
    long one = 1;
    long scale = 1;
    for (long i = 0; i < many; ++i) {
      const int target = static_cast<int>(i % job_.workers);
      job_.done(
          comex_nbacc(COMEX_ACC_LNG, &scale, &one, words_.of(target), sizeof one, target, everyone, nullptr));
    }
    comex_barrier(everyone);
    long expected = 0;
    for (long i = 0; i < many; ++i) expected += i % job_.workers == job_.me ? job_.workers : 0;
    job_.equal(words_.mine()[0], expected, "the sum");
    comex_barrier(everyone);
    words_.mine()[0] = 0;
  }

  void fetched_values_are_all_different() {
    std::vector<long> old(static_cast<std::size_t>(many));
    for (long& each : old) {
      job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &each, words_.of(0), 1, 0, everyone, nullptr));
    }
    job_.done(comex_wait_all(everyone));
    for (std::size_t i = 1; i < old.size(); ++i)
      job_.require(old[i] > old[i - 1], "values of one origin grow");
    comex_barrier(everyone);
    if (job_.me == 0) job_.equal(words_.mine()[0], many * job_.workers, "the counter");
    comex_barrier(everyone);
    words_.mine()[0] = 0;
  }

  // The last put to a word wins, also against others in between; handles are done when they say so.
  void puts_keep_their_order() {
    comex_request_t last = 0;
    std::vector<long> values(static_cast<std::size_t>(many));
    std::iota(values.begin(), values.end(), 0L);
    for (long i = 0; i < many; ++i) {
      long& value = values[static_cast<std::size_t>(i)];
      job_.done(comex_nbput(&value, words_.of(next_) + 1 + i % 64, sizeof value, next_, everyone, &last));
      if (i % 5000 == 0) {
        long back = -1;
        job_.done(comex_get(words_.of(next_) + 1 + i % 64, &back, sizeof back, next_, everyone));
        job_.equal(back, i, "what was put just now");
      }
    }
    job_.done(comex_wait(&last));
    job_.done(comex_wait_all(everyone));
    comex_barrier(everyone);
    for (long i = many - 64; i < many; ++i) job_.equal(words_.mine()[1 + i % 64], i, "the last put");
  }

  // A signal behind small puts: they are there when it is.
  void a_signal_comes_after_the_puts_before_it() {
    std::vector<long> values(50);
    for (long round = 1; round <= 200; ++round) {
      std::iota(values.begin(), values.end(), round * 1000);
      for (long i = 0; i < 50; ++i) {
        job_.done(comex_nbput(&values[static_cast<std::size_t>(i)], words_.of(next_) + 100 + i, sizeof(long),
                              next_, everyone, nullptr));
      }
      long nothing = round;
      job_.done(comex_put_signal(&nothing, words_.of(next_) + 99, sizeof nothing, words_.of(next_) + 98,
                                 round, next_, everyone));
      job_.done(comex_wait_until(words_.mine() + 98, COMEX_CMP_GE, round));
      for (long i = 0; i < 50; ++i)
        job_.equal(words_.mine()[100 + i], round * 1000 + i, "a put before the signal");
      comex_barrier(everyone);
    }
  }

  // What a wait found complete leaves, although its caller then waits for the other side in MPI alone.
  void what_a_wait_found_complete_arrives() {
    for (long round = 1; round <= 40; ++round) {
      const long value = round;
      comex_request_t handle = 0;
      job_.done(comex_nbput(const_cast<long*>(&value), words_.of(next_) + 200, sizeof value, next_, everyone,
                            &handle));
      if (round % 3 == 0) job_.done(comex_wait(&handle));
      if (round % 3 == 1) job_.done(comex_wait_proc(next_, everyone));
      if (round % 3 == 2) job_.done(comex_wait_all(everyone));
      if (job_.me != 0) {
        job_.done(comex_wait_until(words_.mine() + 200, COMEX_CMP_GE, round));
        job_.send_word(0);
        job_.await_word(0);
      } else {
        for (int other = 1; other < job_.workers; ++other) job_.await_word(other);
        for (int other = 1; other < job_.workers; ++other) job_.send_word(other);
      }
    }
  }

  // Windows of eight puts to the other host, each with a wait of its kind, by the first worker.
  void windows_share_messages() {
    const int last = job_.workers - 1;
    long* const there = words_.of(last);
    std::vector<long> values(8);
    for (long round = 0; job_.me == 0 && round < 1000; ++round) {
      std::iota(values.begin(), values.end(), round);
      comex_request_t handle = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        comex_request_t* const named = round % 3 == 0 ? &handle : nullptr;
        job_.done(comex_nbput(&values[i], there + i, sizeof(long), last, everyone, named));
        if (named != nullptr) job_.done(comex_wait(named));
      }
      if (round % 3 == 1) job_.done(comex_wait_proc(last, everyone));
      if (round % 3 == 2) job_.done(comex_wait_all(everyone));
    }
    comex_barrier(everyone);
    for (long i = 0; job_.me == last && i < 8; ++i) job_.equal(words_.mine()[i], 999 + i, "the last window");
    comex_barrier(everyone);
  }

  // The first worker starts something small and then calls nothing until the last has answered, which it does
  // once it has seen what was started. A dependence on the first is a hang.
  void what_a_computing_worker_has_left_arrives() {
    for (long round = 1; round <= 60; ++round) {
      const int last = job_.workers - 1;
      if (job_.me == 0) {
        const long value = round;
        long scale = 1;
        long old = -1;
        comex_request_t handle = 0;
        long* const word = words_.of(last) + 210;
        long* const place = const_cast<long*>(&value);
        if (round % 3 == 0) job_.done(comex_nbput(place, word, sizeof value, last, everyone, nullptr));
        if (round % 3 == 1) {
          job_.done(comex_nbacc(COMEX_ACC_LNG, &scale, place, word, sizeof value, last, everyone, nullptr));
        }
        if (round % 3 == 2) {
          job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, word, static_cast<int>(round), last, everyone,
                                &handle));
        }
        compute_until(words_.mine() + 211, round);
        if (round % 3 == 2) {
          job_.done(comex_wait(&handle));
          job_.equal(old, 0, "the old value");
        }
      } else if (job_.me == last) {
        job_.done(comex_wait_until(words_.mine() + 210, COMEX_CMP_GE, round));
        words_.mine()[210] = 0;
        job_.done(comex_put_signal(words_.mine(), words_.of(0) + 212, sizeof(long), words_.of(0) + 211, round,
                                   0, everyone));
      }
      comex_barrier(everyone);
    }
  }

  // More than there are credits for; each but the last is overwritten or added to.
  void all_of_a_flood_arrives() {
    const int last = job_.workers - 1;
    if (job_.me == 0) {
      std::vector<long> values(static_cast<std::size_t>(many));
      for (long i = 0; i < many; ++i) {
        long& value = values[static_cast<std::size_t>(i)] = i + 1;
        job_.done(comex_nbput(&value, words_.of(last) + 213, sizeof value, last, everyone, nullptr));
      }
      compute_until(words_.mine() + 214, 1);
    } else if (job_.me == last) {
      job_.done(comex_wait_until(words_.mine() + 213, COMEX_CMP_EQ, many));
      job_.done(comex_put_signal(words_.mine(), words_.of(0) + 215, sizeof(long), words_.of(0) + 214, 1, 0,
                                 everyone));
    }
    comex_barrier(everyone);
  }

  // What is pushed keeps its place among the calls that follow, sooner or later.
  void calls_after_a_pause_find_what_was_left() {
    long* const word = words_.of(next_) + 220;
    for (long round = 1; round <= 300; ++round) {
      const long value = round;
      long* const place = const_cast<long*>(&value);
      long seen = -1;
      job_.done(comex_nbput(place, word, sizeof value, next_, everyone, nullptr));
      pause(round);
      switch (round % 5) {
        case 0:
          job_.done(comex_get(word, &seen, sizeof seen, next_, everyone));
          job_.equal(seen, round, "what was put just now");
          break;
        case 1:
          job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &seen, word, 0, next_, everyone));
          job_.equal(seen, round, "what was put just now");
          break;
        case 2:
          seen = -round;
          job_.done(comex_put(&seen, word, sizeof seen, next_, everyone));
          pause(round / 5);
          job_.done(comex_get(word, &seen, sizeof seen, next_, everyone));
          job_.equal(seen, -round, "what was put last");
          break;
        case 3:
          job_.done(comex_nbput(place, word + 1, sizeof value, next_, everyone, nullptr));
          pause(round / 5);
          job_.done(comex_fence_proc(next_, everyone));
          job_.done(comex_get(word + 1, &seen, sizeof seen, next_, everyone));
          job_.equal(seen, round, "what was fenced");
          break;
        default:
          job_.done(comex_lock(0, next_));
          job_.done(comex_get(word, &seen, sizeof seen, next_, everyone));
          job_.equal(seen, round, "what was put before the lock");
          job_.done(comex_unlock(0, next_));
          break;
      }
    }
    comex_barrier(everyone);
  }

 private:
  // About as long as it takes until something is pushed, sometimes less, sometimes more.
  static void pause(long round) {
    double work = 1;
    for (long i = 0; i < (round * 7919) % 60000; ++i) work = work * 1.0000001 + 1e-9;
    if (work < 0) std::abort();
  }
  static void compute_until(const long* word, long wanted) {
    while (look(word) < wanted) pause(10);
  }

  const Job& job_;
  Everywhere<long> words_;
  int next_;
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "coalesce");
  Coalesce test(job);
  if (job.has("windows")) {
    job.check("windows share messages", [&] { test.windows_share_messages(); });
    return 0;
  }
  job.check("100000 small accumulates of every worker add up", [&] { test.accumulates_add_up(); });
  job.check("100000 small fetch-and-adds give each value once",
            [&] { test.fetched_values_are_all_different(); });
  job.check("small puts keep their order", [&] { test.puts_keep_their_order(); });
  job.check("a signal comes after the small puts before it",
            [&] { test.a_signal_comes_after_the_puts_before_it(); });
  job.check("what a wait found complete arrives", [&] { test.what_a_wait_found_complete_arrives(); });
  job.check("what a computing worker has left arrives",
            [&] { test.what_a_computing_worker_has_left_arrives(); });
  job.check("all of a flood arrives", [&] { test.all_of_a_flood_arrives(); });
  job.done(comex_create_mutexes(1));
  job.check("calls after a pause find what was left", [&] { test.calls_after_a_pause_find_what_was_left(); });
  job.done(comex_destroy_mutexes());
  return 0;
}
