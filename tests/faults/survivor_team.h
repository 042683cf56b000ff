// The group over which a worker of survivors.cpp goes on, and what it knows of the dead.
#pragma once

#include <comex/worlds.h>

#include <algorithm>
#include <vector>

#include "victim.h"

namespace comex::testing {

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
constexpr int most_workers = 32;

struct Death {};  // is known to this worker, which leaves what it is in

// Of a collective call.
inline void meet_all(int code, const char* what) {
  require(code == COMEX_SUCCESS || code == COMEX_PROC_FAILED, what);
  if (code == COMEX_PROC_FAILED) throw Death();
}

inline std::vector<int> dead_of_all() {
  std::vector<int> dead(most_workers);
  int count = 0;
  require(comex_failed(everyone, &count, dead.data()) == COMEX_SUCCESS, "failed");
  dead.resize(static_cast<std::size_t>(count));
  return dead;
}

inline bool has_died(int worker) {
  const std::vector<int> dead = dead_of_all();
  return std::ranges::find(dead, worker) != dead.end();
}

inline int host_of(int worker) {
  int host = -1;
  require(comex_host_of(worker, everyone, &host) == COMEX_SUCCESS, "host_of");
  return host;
}

inline bool is_host_lost(int worker) {
  int workers = 0;
  comex_group_size(everyone, &workers);
  for (int other = 0; other < workers; ++other) {
    if (host_of(other) == host_of(worker) && !has_died(other)) return false;
  }
  return true;
}

inline bool is_any_host_lost() {
  return std::ranges::any_of(dead_of_all(), is_host_lost);
}

// An operation on a worker's memory fails only where its host is lost.
inline void went(int code, int worker, const char* what) {
  require(code == COMEX_SUCCESS || code == COMEX_PROC_FAILED, what);
  if (code == COMEX_SUCCESS) return;
  while (!is_host_lost(worker)) comex_progress();
  throw Death();
}

struct Team {
  explicit Team(comex_group_t of) : group(of) {
    comex_group_rank(group, &rank);
    comex_group_size(group, &size);
    workers.resize(static_cast<std::size_t>(size));
    for (int other = 0; other < size; ++other)
      require(comex_group_translate_world(group, other, &workers[static_cast<std::size_t>(other)]) ==
                  COMEX_SUCCESS,
              "translate_world");
  }
  int worker(int of) const { return workers[static_cast<std::size_t>(of)]; }
  int me() const { return worker(rank); }

  comex_group_t group;
  int rank = -1;
  int size = 0;
  std::vector<int> workers;  // of its ranks
};

}  // namespace comex::testing
