// Jobs that are looked at as a whole: whether all that started live and reach each other, and a job whose
// workers sleep, to be watched from outside, until worker 0 asks.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "progress_rows.h"

namespace bench {

// Every worker counts itself at worker 0 and brings its neighbour a word, which comes back as it was.
inline bool all_live(Runtime& runtime) {
  const int me = runtime.me();
  const int size = runtime.size();
  Segment words = runtime.allocate(2 * sizeof(long));
  std::memset(runtime.own(words), 0, 2 * sizeof(long));
  runtime.barrier();
  runtime.fetch_add(words.place(0, 0), 1);
  const int next = (me + 1) % size;
  long sent = me + 100;
  long back = 0;
  runtime.put_and_fence(&sent, words.place(next, sizeof(long)), sizeof(long));
  runtime.get(words.place(next, sizeof(long)), &back, sizeof(long));
  runtime.barrier();
  long found[2] = {};
  std::memcpy(found, runtime.own(words), sizeof found);
  const bool has_mine = found[1] == (me + size - 1) % size + 100;
  const bool is_right = runtime.all(back == sent && has_mine && (me != 0 || found[0] == size));
  runtime.release(words);
  return is_right;
}

inline long word_of(int worker, unsigned number) {
  return 1000L * worker + static_cast<long>(number);
}

constexpr unsigned most_requests = 64;  // of a job that sleeps

// Tells who the workers are, then `asleep`, and sleeps; worker 0 asks then for a word, and again after each
// of more pauses as long as naps need to grow. True if every answer was right.
inline bool sleep_all(Runtime& runtime, unsigned seconds, unsigned requests) {
  constexpr unsigned pause_seconds = 2;
  Segment words = runtime.allocate(most_requests * sizeof(long));
  for (unsigned i = 0; i < most_requests; ++i) {
    const long word = word_of(runtime.me(), i);
    std::memcpy(runtime.own(words) + i * sizeof(long), &word, sizeof word);
  }
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank == nullptr) rank = std::getenv("PMI_RANK");  // MPICH's launcher
  std::printf("worker %s\n", rank == nullptr ? "?" : rank);
  std::fflush(stdout);
  runtime.barrier();
  if (runtime.me() == 0) std::puts("asleep");
  std::fflush(stdout);
  std::vector<double> taken;
  bool is_right = true;
  for (unsigned i = 0; i < requests; ++i) {
    sleep(i == 0 ? seconds : pause_seconds);
    if (runtime.me() != 0) continue;
    const int target = runtime.size() - 1;
    long word = -1;
    const double before = now_ns();
    runtime.get(words.place(target, i * sizeof(long)), &word, sizeof word);
    taken.push_back(now_ns() - before);
    is_right = is_right && word == word_of(target, i);
  }
  if (runtime.me() != 0 || requests == 0) sleep(requests == 0 ? seconds : 1);  // beyond the last request
  is_right = runtime.all(is_right);
  if (runtime.me() == 0 && requests != 0) {
    std::printf("ROW idle.first_get %.6g ns %s\n", median_of(taken), is_right ? "verified" : "WRONG");
    std::fflush(stdout);
  }
  runtime.release(words);
  return is_right;
}

}  // namespace bench
