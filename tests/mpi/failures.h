// What the checks of jobs that go on without dead workers share. Used by failures.cpp.
#pragma once

#include <comex/worlds.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <source_location>
#include <vector>

namespace comex::testing::failures {

inline constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
inline constexpr int victim = 1;

struct Job {
  int me = 0;
  int workers = 0;
};

inline void require(bool holds, const char* what,
                    std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "failures, line %u: %s\n", static_cast<unsigned>(where.line()), what);
  std::fflush(nullptr);
  std::raise(SIGKILL);
}

inline void die_if(bool is_one) {
  if (is_one) std::raise(SIGKILL);
}

inline std::vector<int> failed(comex_group_t group) {
  int size = 0;
  int count = 0;
  require(comex_group_size(group, &size) == COMEX_SUCCESS, "the group has a size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  require(comex_failed(group, &count, ranks.data()) == COMEX_SUCCESS, "failed() succeeds");
  ranks.resize(static_cast<std::size_t>(count));
  return ranks;
}

inline void await_failures(std::size_t count) {
  while (failed(everyone).size() < count) comex_progress();
}

// All have entered; one may have died before this one has left.
inline void meet_before_a_death() {
  const int met = comex_barrier(everyone);
  require(met == COMEX_SUCCESS || met == COMEX_PROC_FAILED, "all meet before one dies");
}

// A group of the living, by which the checks meet after a death.
struct Living {
  explicit Living(comex_group_t of) {
    require(comex_group_shrink(of, &group) == COMEX_SUCCESS, "a shrink");
    comex_group_rank(group, &rank);
    comex_group_size(group, &size);
  }
  comex_group_t group = COMEX_GROUP_NULL;
  int rank = -1;
  int size = 0;
};

struct Memory {
  explicit Memory(const Job& job) : of(static_cast<std::size_t>(job.workers)) {
    require(comex_malloc(of.data(), words * sizeof(long), everyone) == COMEX_SUCCESS, "memory of all");
    for (int i = 0; i < words; ++i) at(job.me)[i] = 1000 * job.me + i;
    require(comex_create_mutexes(2) == COMEX_SUCCESS, "mutexes of all");
    meet_before_a_death();
  }
  long* at(int worker) const { return static_cast<long*>(of[static_cast<std::size_t>(worker)]); }

  static constexpr int words = 100'000;
  std::vector<void*> of;
};

}  // namespace comex::testing::failures
