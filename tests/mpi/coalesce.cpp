// Small non-blocking operations travel together: they add up, keep their order, and arrive unasked.
//
// Usage: coalesce [threads]
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

  // What a wait has completed leaves, although its caller then waits for the other side in MPI alone.
  void a_wait_sends_what_was_buffered() {
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

 private:
  const Job& job_;
  Everywhere<long> words_;
  int next_;
};

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "coalesce");
  Coalesce test(job);
  job.check("100000 small accumulates of every worker add up", [&] { test.accumulates_add_up(); });
  job.check("100000 small fetch-and-adds give each value once",
            [&] { test.fetched_values_are_all_different(); });
  job.check("small puts keep their order", [&] { test.puts_keep_their_order(); });
  job.check("a signal comes after the small puts before it",
            [&] { test.a_signal_comes_after_the_puts_before_it(); });
  job.check("a wait sends what was buffered", [&] { test.a_wait_sends_what_was_buffered(); });
  return 0;
}
