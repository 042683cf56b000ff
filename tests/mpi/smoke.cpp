// A little of everything, for many layouts of the job: any number of workers, one too.
// No worker waits in MPI itself for another that needs its service, so that it runs without threads
// where no progress rank is. Usage: smoke [threads]
#include "mpi/images.h"

using namespace comex::testing;

namespace {

void data_of_all_shapes(const Job& job) {
  Everywhere<long> memory(job, image_words * static_cast<std::size_t>(job.workers));
  for (int target = 0; target < job.workers; ++target) {
    long* const mine = memory.of(target) + static_cast<std::size_t>(job.me) * image_words;
    Image far(image_words);
    long seed = 10 * job.me + target;
    for (const Shape& shape : shapes()) {
      const bool blocking = ++seed % 2 == 0;
      Image near = numbered(seed);
      Image back(image_words);
      Image expected(image_words);
      apply(Kind::put, shape, near, far);
      apply(Kind::acc, shape, near, far);
      apply(Kind::get, shape, expected, far);
      if (blocking) {
        job.done(now(Kind::put, shape, near, mine, target));
        job.done(now(Kind::acc, shape, near, mine, target));
        job.done(now(Kind::get, shape, back, mine, target));
      } else {
        comex_request_t handle = 0;
        job.done(begin(Kind::put, shape, near, mine, target));
        job.done(begin(Kind::acc, shape, near, mine, target));
        job.done(begin(Kind::get, shape, back, mine, target, &handle));
        job.done(comex_wait(&handle));
        job.done(comex_wait_proc(target, everyone));
      }
      job.require(back == expected, "a get brought something else");
    }
    Image all(image_words);
    job.done(comex_fence_proc(target, everyone));
    job.done(comex_get(mine, all.data(), image_words * sizeof(long), target, everyone));
    job.require(all == far, "far memory is something else");
  }
}

void words_of_all(const Job& job) {
  Everywhere<long> words(job, 16);
  Everywhere<int> narrow(job, 16);
  constexpr int turns = 20;
  for (int turn = 0; turn < turns; ++turn) {
    for (int target = 0; target < job.workers; ++target) {
      long old = 0;
      int small = 0;
      long one = 1;
      job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words.of(target), 1, target, everyone));
      job.done(comex_rmw(COMEX_FETCH_AND_ADD, &small, narrow.of(target) + 1, -1, target, everyone));
      job.done(
          comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, words.of(target) + 1, 2, target, everyone, nullptr));
      job.done(comex_acc(COMEX_ACC_LNG, &one, &one, words.of(target) + 2, sizeof one, target, everyone));
      job.done(comex_wait_all(everyone));
    }
  }
  job.done(comex_barrier(everyone));
  const long all = long{turns} * job.workers;
  job.equal(words.mine()[0], all, "the counter");
  job.equal(words.mine()[1], 2 * all, "the counter by twos");
  job.equal(words.mine()[2], all, "the sum");
  job.equal(narrow.mine()[0], 0, "the neighbour of the int");
  job.equal(narrow.mine()[1], static_cast<int>(-all), "the int");
  job.done(comex_barrier(everyone));
}

void locks_of_all(const Job& job) {
  Everywhere<long> words(job, 2);
  job.done(comex_create_mutexes(2));
  for (int turn = 0; turn < 10; ++turn) {
    for (int i = 0; i < job.workers; ++i) {
      const int owner = (job.me + i) % job.workers;
      const int mutex = turn % 2;
      int acquired = 0;
      if (turn % 5 == 0) job.done(comex_trylock(mutex, owner, &acquired));
      if (acquired == 0) job.done(comex_lock(mutex, owner));
      long value = 0;
      job.done(comex_get(words.of(owner) + mutex, &value, sizeof value, owner, everyone));
      ++value;
      job.done(comex_put(&value, words.of(owner) + mutex, sizeof value, owner, everyone));
      job.done(comex_fence_proc(owner, everyone));
      job.done(comex_unlock(mutex, owner));
    }
  }
  job.done(comex_barrier(everyone));
  job.equal(words.mine()[0] + words.mine()[1], 10L * job.workers, "the guarded counters");
  job.done(comex_destroy_mutexes());
}

void signals_round_a_ring(const Job& job) {
  Everywhere<long> words(job, 4);
  const int next = (job.me + 1) % job.workers;
  const int before = (job.me + job.workers - 1) % job.workers;
  for (long round = 1; round <= 50; ++round) {
    long value = round * 1000 + job.me;
    job.done(
        comex_put_signal(&value, words.of(next), sizeof value, words.of(next) + 1, round, next, everyone));
    job.done(comex_wait_until(words.mine() + 1, COMEX_CMP_GE, round));
    job.equal(words.mine()[0], round * 1000 + before, "what came with the signal");
    job.done(comex_barrier(everyone));
  }
}

void groups_of_all_sizes(const Job& job) {
  std::vector<int> ranks;
  for (int worker = job.workers - 1; worker >= 0; --worker) {
    ranks.push_back(worker);
    comex_group_t group = COMEX_GROUP_NULL;
    job.done(comex_group_create(static_cast<int>(ranks.size()), ranks.data(), everyone, &group));
    if (group != COMEX_GROUP_NULL) {
      Everywhere<long> words(job, 1, group);
      long old = 0;
      job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words.of(0), 1, 0, group));
      job.done(comex_barrier(group));
      int rank = 0;
      job.done(comex_group_rank(group, &rank));
      if (rank == 0) job.equal(words.mine()[0], static_cast<long>(ranks.size()), "the members' counter");
      job.done(comex_barrier(group));
    }
    if (group != COMEX_GROUP_NULL) job.done(comex_group_free(group));
  }
}

void memory_of_ones_own(const Job& job) {
  Everywhere<long*> pointers(job, 1);
  auto* mine = static_cast<long*>(comex_malloc_local(100 * sizeof(long)));
  job.require(mine != nullptr, "no local memory");
  mine[99] = job.me;
  *pointers.mine() = mine;
  job.done(comex_barrier(everyone));
  for (int target = 0; target < job.workers; ++target) {
    long* there = nullptr;
    long seen = -1;
    job.done(comex_get(pointers.of(target), &there, sizeof there, target, everyone));
    job.done(comex_get(there + 99, &seen, sizeof seen, target, everyone));
    job.equal(seen, long{target}, "a word of somebody's own memory");
  }
  job.done(comex_barrier(everyone));
  job.done(comex_free_local(mine));
}

}  // namespace

int main(int argc, char** argv) {
  Job job(argc, argv, "smoke");
  job.check("data of all shapes", [&] { data_of_all_shapes(job); });
  job.check("words of all", [&] { words_of_all(job); });
  job.check("locks of all", [&] { locks_of_all(job); });
  job.check("signals round a ring", [&] { signals_round_a_ring(job); });
  job.check("groups of all sizes", [&] { groups_of_all_sizes(job); });
  job.check("memory of one's own", [&] { memory_of_ones_own(job); });
}
