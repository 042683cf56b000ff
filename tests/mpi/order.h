// The checks of order and completion that order.cpp runs, from every worker to its neighbours' memory.
//
// Overlapping operations are in flight together, of every pair of shapes: small and large, contiguous,
// strided, vector, blocking, by handle and implicit.
#pragma once

#include <sched.h>

#include "mpi/images.h"

namespace comex::testing {

class Order {
 public:
  explicit Order(const Job& job)
      : job_(job), memory_(job, static_cast<std::size_t>(job.workers) * image_words), words_(job, 64) {
    targets_ = {(job.me + 1) % job.workers};
    const int across = (job.me + job.workers / 2 + 1) % job.workers;
    if (across != targets_[0]) targets_.push_back(across);
  }

  // Every first operation with every second one in flight behind it, then what is there.
  void pairs(Kind first, Kind second) {
    long seed = 0;
    for (const int target : targets_) {
      for (const Shape& one : shapes()) {
        for (const Shape& two : shapes()) pair(first, one, second, two, target, ++seed);
      }
    }
  }

  void blocking_pairs(Kind first, Kind second) {
    for (const int target : targets_) {
      for (const Shape& one : shapes()) {
        for (const Shape& two : shapes()) {
          Image far = fill(target, 5);
          Image near_one = numbered(6);
          Image near_two = numbered(7);
          Image expected_two = near_two;
          apply(first, one, near_one, far);
          apply(second, two, expected_two, far);
          job_.done(now(first, one, near_one, region(target), target));
          job_.done(now(second, two, near_two, region(target), target));
          same(near_two, expected_two, one, two, "near memory");
          same(read(target), far, one, two, "far memory");
        }
      }
    }
  }

  void sources_are_free_when_a_blocking_write_returns() {
    for (const int target : targets_) {
      for (const Kind kind : {Kind::put, Kind::acc}) {
        for (const Shape& shape : shapes()) {
          Image far = fill(target, 1);
          Image near = numbered(2);
          apply(kind, shape, near, far);
          job_.done(now(kind, shape, near, region(target), target));
          std::fill(near.begin(), near.end(), -1);
          same(read(target), far, shape, shape, "far memory");
        }
      }
    }
  }

  enum class By { wait, wait_proc, wait_all, fence_proc, fence_all, barrier };

  // Implicit gets have arrived; sources of writes are free.
  void implicit_requests_are_complete_after(By by) {
    for (std::size_t turn = 0; turn < 2; ++turn) {  // all of a job make as many barriers
      const int target = targets_[turn % targets_.size()];
      for (const Shape& shape : shapes()) {
        Image far = fill(target, 3);
        Image near = numbered(4);
        Image got(image_words);
        Image expected(image_words);
        apply(Kind::get, shape, expected, far);
        apply(Kind::put, shape, near, far);
        job_.done(begin(Kind::get, shape, got, region(target), target));
        complete(by, target);
        same(got, expected, shape, shape, "what an implicit get brought");
        long old = -1;
        job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, words_.of(target) + 8 + job_.me, 1, target,
                              everyone, nullptr));
        complete(by, target);
        job_.equal(old, rmws_[static_cast<std::size_t>(target)]++, "what an implicit rmw brought");
        job_.done(begin(Kind::put, shape, near, region(target), target));
        complete(by, target);
        std::fill(near.begin(), near.end(), -1);
        same(read(target), far, shape, shape, "far memory");
      }
    }
  }

  void rmw_takes_effect_after_earlier_writes() {
    for (const int target : targets_) {
      for (const Shape& shape : shapes()) {
        fill(target, 1);
        Image near = numbered(2);
        const std::size_t last =
            static_cast<std::size_t>(shape.first + (shape.rows - 1) * shape.stride + shape.run - 1);
        job_.done(begin(Kind::put, shape, near, region(target), target));
        long old = 0;
        job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, region(target) + last, 5, target, everyone));
        job_.equal(old, near[last], "what rmw found");
        long after = 0;
        job_.done(comex_get(region(target) + last, &after, sizeof after, target, everyone));
        job_.equal(after, near[last] + 5, "what a get found after the rmw");
        job_.done(comex_wait_all(everyone));
      }
    }
  }

  void reads_see_earlier_nonblocking_rmws() {
    for (const int target : targets_) {
      long* word = region(target) + 77;
      for (long round = 0; round < 200; ++round) {
        long start = round;
        long old = -1;
        long seen = -1;
        job_.done(comex_put(&start, word, sizeof start, target, everyone));
        job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 1000, target, everyone, nullptr));
        job_.done(comex_get(word, &seen, sizeof seen, target, everyone));
        job_.equal(seen, round + 1000, "what a get saw behind an rmw");
        job_.done(comex_wait_proc(target, everyone));
        job_.equal(old, round, "what the rmw found");
      }
    }
  }

  // A later put under a pending rmw.
  void rmws_do_not_see_later_writes() {
    for (const int target : targets_) {
      long* word = region(target) + 78;
      for (long round = 0; round < 200; ++round) {
        long start = round;
        long later = -5;
        long old = -1;
        long seen = 0;
        job_.done(comex_put(&start, word, sizeof start, target, everyone));
        job_.done(comex_nbrmw(COMEX_FETCH_AND_ADD_LONG, &old, word, 1000, target, everyone, nullptr));
        job_.done(comex_put(&later, word, sizeof later, target, everyone));
        job_.done(comex_get(word, &seen, sizeof seen, target, everyone));
        job_.done(comex_wait_proc(target, everyone));
        job_.equal(old, round, "what the rmw found");
        job_.equal(seen, later, "the word in the end");
      }
    }
  }

  // Data to one side, more data and the signal: the receiver looks with plain loads.
  void signals_bring_all_earlier_writes() {
    const int to = targets_[0];
    const int from = (job_.me + job_.workers - 1) % job_.workers;
    const long* mine = memory_.mine() + static_cast<std::size_t>(from) * image_words;
    Image near;
    for (long round = 1; round <= 60; ++round) {
      const Shape& shape = shapes()[static_cast<std::size_t>(round) % shapes().size()];
      near = numbered(round);
      job_.done(begin(Kind::put, shape, near, region(to), to));
      const bool with_data = round % 2 == 0;
      job_.done(
          comex_put_signal(near.data(), region(to), with_data ? 8 : 0, words_.of(to), round, to, everyone));
      job_.done(comex_wait_until(words_.mine(), COMEX_CMP_GE, round));
      const Image sent = numbered(round);
      if (with_data) job_.equal(mine[0], sent[0], "the signal's own data");
      shape.for_each_word([&](std::size_t at) { job_.equal(mine[at], sent[at], "data before the signal"); });
      job_.done(comex_wait_all(everyone));
      // The next round's data must not come before these are compared.
      job_.done(comex_put_signal(nullptr, nullptr, 0, words_.of(from) + 1, round, from, everyone));
      job_.done(comex_wait_until(words_.mine() + 1, COMEX_CMP_GE, round));
    }
    job_.done(comex_barrier(everyone));
    words_.mine()[0] = words_.mine()[1] = 0;
    job_.done(comex_barrier(everyone));
  }

  // A third party that sees the flag by rmw sees the data by get.
  void rmw_publishes_earlier_writes() {
    const int target = targets_[0];
    const int writer = (job_.me + 2 * job_.workers - 2) % job_.workers;  // whose data I look for,
    const int place = (writer + 1) % job_.workers;                       // and where it puts them
    for (long round = 1; round <= 20; ++round) {
      const Shape& shape = shapes()[static_cast<std::size_t>(round) % shapes().size()];
      Image near = numbered(100 + round);
      long old = 0;
      job_.done(begin(Kind::put, shape, near, region(target), target));
      job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words_.of(target) + 2, 1, target, everyone));
      long seen = 0;
      while (seen < round) {
        job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &seen, words_.of(place) + 2, 0, place, everyone));
        if (seen < round) sched_yield();
      }
      Image got(image_words);
      long* theirs = memory_.of(place) + static_cast<std::size_t>(writer) * image_words;
      job_.done(now(Kind::get, shape, got, theirs, place));
      shape.for_each_word([&](std::size_t at) { job_.equal(got[at], near[at], "published data"); });
      job_.done(comex_barrier(everyone));
    }
    words_.mine()[2] = 0;
  }

  // Unlock takes its turn behind the writes: no fence is needed towards the mutex's owner.
  void unlock_takes_effect_after_earlier_writes() {
    constexpr int rounds = 40;
    constexpr int length = 2000;
    const Shape counters{"counters", Shape::Layout::contiguous, 0, length, 1, 0};
    job_.done(comex_create_mutexes(1));
    long* const shared = memory_.of(0);
    if (job_.me == 0) std::fill_n(shared, length, 0);
    job_.done(comex_barrier(everyone));
    Image near(image_words);
    for (int round = 0; round < rounds; ++round) {
      job_.done(comex_lock(0, 0));
      job_.done(now(Kind::get, counters, near, shared, 0));
      for (int at = 0; at < length; ++at) near[static_cast<std::size_t>(at)] += 1;
      job_.done(begin(Kind::put, counters, near, shared, 0));
      job_.done(comex_unlock(0, 0));
      job_.done(comex_wait_proc(0, everyone));
    }
    job_.done(comex_barrier(everyone));
    if (job_.me == 0) {
      for (int at = 0; at < length; ++at)
        job_.equal(shared[at], rounds * job_.workers, "a counter under a lock");
    }
    job_.done(comex_destroy_mutexes());
  }

  void fenced_writes_are_there_for_everybody() {
    const int to = targets_[0];
    const int from = (job_.me + job_.workers - 1) % job_.workers;
    const long* mine = memory_.mine() + static_cast<std::size_t>(from) * image_words;
    for (std::size_t round = 0; round < 3 * shapes().size(); ++round) {
      const Shape& shape = shapes()[round % shapes().size()];
      Image near = numbered(static_cast<long>(round));
      job_.done(begin(Kind::put, shape, near, region(to), to));
      job_.done(round % 2 == 0 ? comex_fence_proc(to, everyone) : comex_fence_all(everyone));
      const int sent = 0;
      int received = 0;  // `to` and `from` may be this worker, and MPI's two buffers must not overlap
      MPI_Sendrecv(&sent, 1, MPI_INT, to, 1, &received, 1, MPI_INT, from, 1, job_.comm, MPI_STATUS_IGNORE);
      shape.for_each_word([&](std::size_t at) { job_.equal(mine[at], near[at], "fenced data"); });
      job_.done(comex_barrier(everyone));
    }
  }

  void a_barrier_brings_all_writes() {
    const int to = targets_[0];
    const int from = (job_.me + job_.workers - 1) % job_.workers;
    const long* mine = memory_.mine() + static_cast<std::size_t>(from) * image_words;
    for (std::size_t round = 0; round < 2 * shapes().size(); ++round) {
      const Shape& shape = shapes()[round % shapes().size()];
      Image near = numbered(static_cast<long>(round) + 50);
      job_.done(begin(Kind::put, shape, near, region(to), to));
      job_.done(comex_barrier(everyone));
      shape.for_each_word([&](std::size_t at) { job_.equal(mine[at], near[at], "data after a barrier"); });
      job_.done(comex_barrier(everyone));
    }
  }

  // put x, fence, get y against put y, fence, get x: one of the two sees the other.
  void crossings_see_each_other(long rounds) {
    const int pair = job_.me / 2 * 2;
    if (pair + 1 >= job_.workers) return;
    const bool is_left = job_.me == pair;
    long* const mine = words_.of(pair) + (is_left ? 16 : 24);  // both flags in one memory,
    long* const other = words_.of(pair) + (is_left ? 24 : 16);
    long* const meet = words_.of(pair) + 32;  // where rounds begin
    for (long round = 1; round <= rounds; ++round) {
      meet_at(meet, pair, 2 * round);
      long value = round;
      long seen = -1;
      job_.done(comex_put(&value, mine, sizeof value, pair, everyone));
      job_.done(comex_fence_proc(pair, everyone));
      job_.done(comex_get(other, &seen, sizeof seen, pair, everyone));
      long both[2] = {seen, 0};
      MPI_Sendrecv(&both[0], 1, MPI_LONG, job_.me ^ 1, 2, &both[1], 1, MPI_LONG, job_.me ^ 1, 2, job_.comm,
                   MPI_STATUS_IGNORE);
      job_.require(both[0] == round || both[1] == round, "two crossing workers missed each other's put");
    }
  }

 private:
  void meet_at(long* counter, int owner, long wanted) const {
    long seen = 0;
    job_.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &seen, counter, 1, owner, everyone));
    constexpr int spins = 300;  // then the other may need this processor
    int looks = 0;
    for (++seen; seen < wanted;) {
      if (++looks > spins) sched_yield();
      if (owner == job_.me) {
        seen = look(counter);
      } else {
        job_.done(comex_get(counter, &seen, sizeof seen, owner, everyone));
      }
    }
  }

  long* region(int target) const {
    return memory_.of(target) + static_cast<std::size_t>(job_.me) * image_words;
  }

  Image fill(int target, long seed) {
    Image image = numbered(seed);
    job_.done(comex_put(image.data(), region(target), image_words * sizeof(long), target, everyone));
    job_.done(comex_fence_proc(target, everyone));
    return image;
  }
  Image read(int target) {
    Image image(image_words);
    job_.done(comex_fence_proc(target, everyone));
    job_.done(comex_get(region(target), image.data(), image_words * sizeof(long), target, everyone));
    return image;
  }

  void pair(Kind first, const Shape& one, Kind second, const Shape& two, int target, long seed) {
    Image far = fill(target, seed);
    Image near_one = numbered(seed + 1);
    Image near_two = numbered(seed + 2);
    Image expected_one = near_one;
    Image expected_two = near_two;
    apply(first, one, expected_one, far);
    apply(second, two, expected_two, far);
    comex_request_t handle = 0;
    job_.done(begin(first, one, near_one, region(target), target, seed % 2 == 0 ? &handle : nullptr));
    job_.done(begin(second, two, near_two, region(target), target));
    if (seed % 2 == 0) job_.done(comex_wait(&handle));
    job_.done(comex_wait_proc(target, everyone));
    same(near_one, expected_one, one, two, "near memory of the first");
    same(near_two, expected_two, one, two, "near memory of the second");
    same(read(target), far, one, two, "far memory");
  }

  void complete(By by, int target) const {
    switch (by) {
      case By::wait_proc:
        return job_.done(comex_wait_proc(target, everyone));
      case By::fence_proc:
        return job_.done(comex_fence_proc(target, everyone));
      case By::fence_all:
        return job_.done(comex_fence_all(everyone));
      case By::barrier:
        return job_.done(comex_barrier(everyone));
      default:
        return job_.done(comex_wait_all(everyone));
    }
  }

  void same(const Image& found, const Image& wanted, const Shape& one, const Shape& two,
            const char* what) const {
    if (found == wanted) return;
    const auto at = std::mismatch(found.begin(), found.end(), wanted.begin());
    job_.fail(std::string(what) + " differs after '" + one.name + "' and '" + two.name + "' at word " +
              std::to_string(at.first - found.begin()) + ": " + std::to_string(*at.first) + ", must be " +
              std::to_string(*at.second));
  }

  const Job& job_;
  Everywhere<long> memory_;  // a region for every origin
  Everywhere<long> words_;   // flags: 0 and 1 signals, 2 published, 8.. rmws, 16, 24, 32 crossings
  std::vector<int> targets_;
  std::vector<long> rmws_ = std::vector<long>(64);
};

}  // namespace comex::testing
