// Mutexes: many on every owner, direct and remote waiters mixed, several held at once, made and destroyed.
// What they guard is read and written back by plain gets and puts, so an overlap loses an update.
// Usage: mutexes [threads]
#include <random>

#include "mpi/job.h"

using namespace comex::testing;

namespace {

constexpr int mutexes = 5;

class Guarded {
 public:
  explicit Guarded(const Job& job)
      : job_(job), counters_(job, mutexes), random_(static_cast<unsigned>(job.me) + 1) {}

  void increment(int mutex, int owner) {
    long value = 0;
    job_.done(comex_get(counters_.of(owner) + mutex, &value, sizeof value, owner, everyone));
    ++value;
    job_.done(comex_put(&value, counters_.of(owner) + mutex, sizeof value, owner, everyone));
    job_.done(comex_fence_proc(owner, everyone));
    ++made_;
  }

  void each_guards_its_counter(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      const int mutex = below(mutexes);
      const int owner = below(job_.workers);
      job_.done(comex_lock(mutex, owner));
      increment(mutex, owner);
      job_.done(comex_unlock(mutex, owner));
    }
  }

  void trylock_guards_too(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      const int owner = below(job_.workers);
      int acquired = -1;
      if (turn % 3 == 0) {
        job_.done(comex_lock(0, owner));
      } else {
        for (;;) {
          job_.done(comex_trylock(0, owner, &acquired));
          job_.require(acquired == 0 || acquired == 1, "trylock said neither 0 nor 1");
          if (acquired == 1) break;
        }
      }
      increment(0, owner);
      job_.done(comex_unlock(0, owner));
    }
  }

  // In one order, so that nobody waits in a circle; released in another.
  void several_are_held_at_once(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      std::vector<int> held;
      for (int number = 0; number < mutexes * job_.workers; ++number) {
        if (below(3) == 0) held.push_back(number);
      }
      for (const int number : held) job_.done(comex_lock(number % mutexes, number / mutexes));
      std::shuffle(held.begin(), held.end(), random_);
      for (const int number : held) increment(number % mutexes, number / mutexes);
      std::shuffle(held.begin(), held.end(), random_);
      for (const int number : held) job_.done(comex_unlock(number % mutexes, number / mutexes));
    }
  }

  void add_up() {
    long here = 0;
    for (int mutex = 0; mutex < mutexes; ++mutex) here += look(counters_.mine() + mutex);
    long sums[2] = {here, made_};
    long all[2] = {0, 0};
    MPI_Allreduce(sums, all, 2, MPI_LONG, MPI_SUM, job_.comm);
    job_.equal(all[0], all[1], "the sum of all counters");
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  const Job& job_;
  Everywhere<long> counters_;
  std::mt19937 random_;
  long made_ = 0;
};

void trylock_tells_free_from_held(const Job& job) {
  for (int owner = 0; owner < job.workers; ++owner) {
    for (int holder = 0; holder < job.workers; ++holder) {
      int acquired = -1;
      if (job.me == holder) {
        job.done(comex_trylock(1, owner, &acquired));
        job.equal(acquired, 1, "trylock of a free mutex");
      }
      job.done(comex_barrier(everyone));
      if (job.me != holder) {
        job.done(comex_trylock(1, owner, &acquired));
        job.equal(acquired, 0, "trylock of a held mutex");
      }
      job.done(comex_barrier(everyone));
      if (job.me == holder) job.done(comex_unlock(1, owner));
      job.done(comex_barrier(everyone));
    }
  }
}

// Behind a large put that is still under way, at once.
void what_was_given_back_is_free(const Job& job) {
  constexpr std::size_t words = 1 << 17;
  const Everywhere<double> memory(job, words);
  const std::vector<double> values(words, 1.0);
  const int owner = (job.me + 1) % job.workers;
  for (int round = 0; round < 20; ++round) {
    int acquired = -1;
    job.done(comex_lock(1, owner));
    job.done(comex_nbput(const_cast<double*>(values.data()), memory.of(owner), words * sizeof(double), owner,
                         everyone, nullptr));
    job.done(comex_unlock(1, owner));
    job.done(comex_trylock(1, owner, &acquired));
    job.equal(acquired, 1, "trylock of a mutex that was just given back");
    job.done(comex_nbput(const_cast<double*>(values.data()), memory.of(owner), words * sizeof(double), owner,
                         everyone, nullptr));
    job.done(comex_unlock(1, owner));
    job.done(comex_lock(1, owner));
    job.done(comex_unlock(1, owner));
  }
  job.done(comex_barrier(everyone));
}

// Once for each time that it is held.
void is_given_back_once(const Job& job) {
  const int owner = (job.me + 1) % job.workers;
  job.done(comex_lock(1, owner));
  job.done(comex_unlock(1, owner));
  comex_set_errors(COMEX_ERRORS_RETURN);
  job.require(comex_unlock(1, owner) == COMEX_FAILURE, "nobody gives back what he does not hold");
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.done(comex_barrier(everyone));
}

// All want the same mutex all the time; nobody stops before everybody had his turns. Who is left out
// for ever is a hang; who had to stand back for long is seen in the tallies.
void everybody_gets_turns(const Job& job) {
  constexpr long turns = 100;
  Everywhere<long> tallies(job, static_cast<std::size_t>(job.workers) + 1);
  const int owner = 0;
  std::vector<long> all(static_cast<std::size_t>(job.workers));
  const int bytes = static_cast<int>(all.size() * sizeof(long));
  job.done(comex_barrier(everyone));
  for (long least = 0; least < turns;) {
    job.done(comex_lock(2, owner));
    job.done(comex_get(tallies.of(owner), all.data(), bytes, owner, everyone));
    long& mine = all[static_cast<std::size_t>(job.me)];
    ++mine;
    job.done(comex_put(&mine, tallies.of(owner) + job.me, sizeof mine, owner, everyone));
    job.done(comex_fence_proc(owner, everyone));
    job.done(comex_unlock(2, owner));
    least = *std::min_element(all.begin(), all.end());
  }
}

void sets_come_and_go(const Job& job) {
  for (int round = 0; round < 10; ++round) {
    // Every worker brings another number, some none.
    const auto count = [&](int worker) { return (worker + round) % 3; };
    job.done(comex_create_mutexes(count(job.me)));
    for (int owner = 0; owner < job.workers; ++owner) {
      for (int mutex = 0; mutex < count(owner); ++mutex) {
        job.done(comex_lock(mutex, owner));
        job.done(comex_unlock(mutex, owner));
      }
    }
    job.done(comex_destroy_mutexes());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "mutexes");
  job.check("sets come and go", [&] { sets_come_and_go(job); });
  job.done(comex_create_mutexes(mutexes));
  {
    Guarded guarded(job);
    job.check("each mutex guards its counter", [&] { guarded.each_guards_its_counter(150); });
    job.check("trylock guards too", [&] { guarded.trylock_guards_too(60); });
    job.check("several are held at once", [&] { guarded.several_are_held_at_once(15); });
    job.check("the counters add up", [&] { guarded.add_up(); });
  }
  job.check("trylock tells free from held", [&] { trylock_tells_free_from_held(job); });
  job.check("what was given back is free", [&] { what_was_given_back_is_free(job); });
  job.check("a mutex is given back once", [&] { is_given_back_once(job); });
  job.check("everybody gets turns", [&] { everybody_gets_turns(job); });
  job.done(comex_destroy_mutexes());
  job.check("sets come and go again", [&] { sets_come_and_go(job); });
}
