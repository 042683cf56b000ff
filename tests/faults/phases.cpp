// Goes through the phases of faults.h with data that every worker checks: what is to go on after a fault, or
// to end.
//
// Usage: phases [ROUNDS]    (1)   worker 0 prints "phases: all data right" at its end
#include <comex/comex.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "victim.h"

using comex::testing::phase;
using comex::testing::require;

namespace {

constexpr int doubles = 50'000;  // two chunks
constexpr int body_bytes = doubles * static_cast<int>(sizeof(double));
constexpr comex_group_t everyone = COMEX_GROUP_WORLD;

int me = 0;
int workers = 0;
void meet() {
  phase("barrier");
  require(comex_barrier(everyone) == COMEX_SUCCESS, "barrier");
}

bool all_are(const double* values, double wanted) {
  for (int i = 0; i < doubles; ++i)
    if (values[i] != wanted) return false;
  return true;
}

// Workers write to the next one, read from it and add to it.
void move_data(double* mine, double* theirs, int round) {
  const int next = (me + 1) % workers;
  const int previous = (me + workers - 1) % workers;
  std::vector<double> near(doubles, me + 10.0 * round);
  phase("put_body");
  int handle = 0;
  require(comex_nbput(near.data(), theirs, body_bytes, next, everyone, &handle) == COMEX_SUCCESS, "nbput");
  require(comex_wait(&handle) == COMEX_SUCCESS, "wait");
  meet();
  require(all_are(mine, previous + 10.0 * round), "what was put");
  phase("get");
  near.assign(doubles, -1);
  require(comex_get(theirs, near.data(), body_bytes, next, everyone) == COMEX_SUCCESS, "get");
  require(all_are(near.data(), me + 10.0 * round), "what was got");
  meet();
  phase("acc");
  double scale = 2;
  near.assign(doubles, 1);
  require(comex_acc(COMEX_ACC_DBL, &scale, near.data(), theirs, body_bytes, next, everyone) == COMEX_SUCCESS,
          "acc");
  meet();
  require(all_are(mine, previous + 10.0 * round + 2), "what was added");
  meet();
  phase("fence");
  for (int i = 0; i < 50; ++i)
    require(comex_nbput(&near[0], theirs + i, sizeof(double), next, everyone, nullptr) == COMEX_SUCCESS,
            "small nbput");
  require(comex_fence_proc(next, everyone) == COMEX_SUCCESS, "fence_proc");
  double back = 0;
  require(comex_get(theirs + 49, &back, sizeof back, next, everyone) == COMEX_SUCCESS && back == 1,
          "what was fenced");
  meet();
}

// The first two words of worker 0 count what all have done.
void count_together(long* words_of_0) {
  phase("rmw");
  long old = -1;
  require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, words_of_0, 1, 0, everyone) == COMEX_SUCCESS, "rmw");
  require(old >= 0 && old < workers, "what rmw fetched");
  phase("lock");
  require(comex_lock(0, 0) == COMEX_SUCCESS, "lock");
  long value = -1;
  require(comex_get(words_of_0 + 1, &value, sizeof value, 0, everyone) == COMEX_SUCCESS, "get under a lock");
  ++value;
  require(comex_put(&value, words_of_0 + 1, sizeof value, 0, everyone) == COMEX_SUCCESS, "put under a lock");
  require(comex_fence_proc(0, everyone) == COMEX_SUCCESS, "fence under a lock");
  require(comex_unlock(0, 0) == COMEX_SUCCESS, "unlock");
  meet();
  if (me == 0) require(words_of_0[0] == workers && words_of_0[1] == workers, "the counts");
}

void commit_group() {
  phase("group_commit");
  std::vector<int> ranks;
  for (int rank = workers - 1; rank >= 0; --rank) ranks.push_back(rank);
  comex_group_t group = COMEX_GROUP_NULL;
  require(comex_group_create(workers, ranks.data(), everyone, &group) == COMEX_SUCCESS, "group_create");
  int rank = -1;
  require(comex_group_rank(group, &rank) == COMEX_SUCCESS && rank == workers - 1 - me, "the rank in a group");
  std::vector<void*> places(static_cast<std::size_t>(workers));
  require(comex_malloc(places.data(), 4096, group) == COMEX_SUCCESS, "malloc over a group");
  require(comex_free(places[static_cast<std::size_t>(rank)], group) == COMEX_SUCCESS, "free over a group");
  require(comex_group_free(group) == COMEX_SUCCESS, "group_free");
}

void go_round(int round) {
  phase("malloc");
  std::vector<void*> places(static_cast<std::size_t>(workers));
  std::vector<void*> words(static_cast<std::size_t>(workers));
  require(comex_malloc(places.data(), body_bytes, everyone) == COMEX_SUCCESS, "malloc");
  require(comex_malloc(words.data(), me == 0 ? 2 * sizeof(long) : 0, everyone) == COMEX_SUCCESS,
          "malloc of words");
  auto* const words_of_0 = static_cast<long*>(words[0]);
  if (me == 0) words_of_0[0] = words_of_0[1] = 0;
  meet();
  auto* const mine = static_cast<double*>(places[static_cast<std::size_t>(me)]);
  move_data(mine, static_cast<double*>(places[static_cast<std::size_t>((me + 1) % workers)]), round);
  count_together(words_of_0);
  commit_group();
  phase("free");
  require(comex_free(mine, everyone) == COMEX_SUCCESS, "free");
  require(comex_free(words[static_cast<std::size_t>(me)], everyone) == COMEX_SUCCESS, "free of words");
}

}  // namespace

int main(int argc, char** argv) {
  phase("init");
  MPI_Init(&argc, &argv);
  require(comex_init() == COMEX_SUCCESS, "init");
  comex_group_rank(everyone, &me);
  comex_group_size(everyone, &workers);
  require(comex_create_mutexes(1) == COMEX_SUCCESS, "create_mutexes");
  require(comex_barrier(everyone) == COMEX_SUCCESS, "barrier");
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) go_round(round);
  phase("finalize");
  require(comex_destroy_mutexes() == COMEX_SUCCESS, "destroy_mutexes");
  if (me == 0) std::printf("phases: all data right\n");
  require(comex_finalize() == COMEX_SUCCESS, "finalize");
  MPI_Finalize();
}
