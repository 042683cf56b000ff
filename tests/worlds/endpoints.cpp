// Several ranks of one process, each driven by a thread: the worked OpenMP example, all outcomes of compare,
// and one-sided operations, collectives and mutexes by endpoints that are requesters of their own.
#include <comex/worlds.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <numeric>

#include "mpi/job.h"
#include "mpi/told.h"

using namespace comex::testing;

namespace {

int compared(const Job& job, comex_group_t a, comex_group_t b) {
  int result = -1;
  job.done(comex_group_compare(a, b, &result));
  return result;
}
int compared_basic(const Job& job, comex_group_t a, comex_group_t b) {
  int result = -1;
  job.done(comex_group_compare_basic(a, b, &result));
  return result;
}

using Pair = std::array<comex_group_t, 2>;

Pair two_endpoints(const Job& job, comex_group_t parent = everyone) {
  Pair handles{};
  job.done(comex_group_create_endpoints(parent, 2, handles.data()));
  return handles;
}

// Each endpoint calls body(which of the two) on a thread of its own, all at once.
template <class Body>
void by_both(Body&& body) {
#pragma omp parallel num_threads(2)
  body(static_cast<std::size_t>(omp_get_thread_num()));
}

void release(const Job& job, const Pair& handles) {
  by_both([&](std::size_t i) { job.done(comex_group_free(handles[i])); });
}

int rank_in(const Job& job, comex_group_t group) {
  int rank = -1;
  job.done(comex_group_rank(group, &rank));
  return rank;
}

// Comparing is local: both threads of a process do it at once, again and again.
void compared_by_both(const Job& job, const Pair& comm1, const Pair& comm2) {
  by_both([&](std::size_t i) {
    job.done(comex_barrier(comm1[i]));
    for (int round = 0; round < 100; ++round) {
      job.equal(compared(job, comm1[i], comm1[i]), int{COMEX_IDENT}, "one handle, by both");
      job.equal(compared(job, comm1[i], comm1[1 - i]), int{COMEX_ALIASED}, "two handles, by both");
      job.equal(compared(job, comm1[i], comm2[i]), int{COMEX_CONGRUENT}, "case 1a, by both");
      job.equal(compared(job, comm1[i], comm2[1 - i]), int{COMEX_CONGRUENT_ALIAS}, "case 1b, by both");
    }
  });
}

// The document's example: dup by all threads, a permutation by split, and the comparisons that it names.
void the_worked_example(const Job& job) {
  const Pair comm1 = two_endpoints(job);
  Pair comm2{};
  by_both([&](std::size_t i) { job.done(comex_group_dup(comm1[i], &comm2[i])); });
  job.equal(compared(job, comm1[0], comm1[0]), int{COMEX_IDENT}, "one handle");
  job.equal(compared(job, comm1[0], comm1[1]), int{COMEX_ALIASED}, "two handles of one group");
  job.equal(compared(job, comm1[0], comm2[0]), int{COMEX_CONGRUENT}, "case 1a");
  job.equal(compared(job, comm1[0], comm2[1]), int{COMEX_CONGRUENT_ALIAS}, "case 1b");
  compared_by_both(job, comm1, comm2);

  Pair turned{};  // within each process the other way round; by new rank
  by_both([&](std::size_t i) {
    comex_group_t part = COMEX_GROUP_NULL;
    job.done(comex_group_split(comm1[i], 0, 2 * job.me + (i == 0 ? 1 : 0), &part));
    turned[static_cast<std::size_t>(rank_in(job, part) % 2)] = part;
  });
  job.equal(compared(job, comm1[0], turned[0]), int{COMEX_SIMILAR_ALIAS}, "case 2a");
  job.equal(compared(job, comm1[0], turned[1]), int{COMEX_SIMILAR}, "case 2b");

  int ranks[2] = {2 * job.me, 2 * job.me + 1};
  int there[2] = {-1, -1};
  job.done(comex_group_translate_ranks(2, comm1[0], ranks, turned[0], there));
  job.require(there[0] == 2 * job.me + 1 && there[1] == 2 * job.me, "endpoints in the group turned round");
  job.done(comex_group_translate_ranks(2, comm1[0], ranks, everyone, there));
  job.require(there[0] == job.me && there[1] == job.me, "endpoints in the world");

  Pair alone{};  // a part for each endpoint of a process: other members
  by_both(
      [&](std::size_t i) { job.done(comex_group_split(comm1[i], static_cast<int>(i), job.me, &alone[i])); });
  job.equal(compared(job, comm1[0], alone[0]), int{COMEX_UNEQUAL}, "case 3, same endpoint");
  job.equal(compared(job, comm1[0], alone[1]), int{COMEX_UNEQUAL_ALIAS}, "case 3, other endpoint");

  job.equal(compared_basic(job, comm1[0], comm1[1]), int{COMEX_ALIASED}, "two handles in basic mode");
  job.equal(compared_basic(job, comm1[0], comm2[1]), int{COMEX_CONGRUENT}, "case 1b in basic mode");
  job.equal(compared_basic(job, comm1[0], turned[0]), int{COMEX_SIMILAR}, "case 2a in basic mode");
  job.equal(compared_basic(job, comm1[0], alone[1]), int{COMEX_UNEQUAL}, "case 3 in basic mode");
  int same = -1;
  job.done(comex_group_same_context(comm1[0], comm1[1], &same));
  job.equal(same, 1, "one context");
  job.done(comex_group_same_context(comm1[0], comm2[0], &same));
  job.equal(same, 0, "another context");
  job.done(comex_group_same_endpoint(comm1[0], comm2[0], &same));
  job.equal(same, 1, "one endpoint");
  job.done(comex_group_same_endpoint(comm1[0], comm1[1], &same));
  job.equal(same, 0, "another endpoint");
  job.done(comex_group_relation(comm1[0], comm1[1], &same));
  job.equal(same, int{COMEX_IDENT}, "the relation of two handles of one group");
  for (const Pair& each : {alone, turned, comm2, comm1}) release(job, each);
}

void ranks_follow_the_parent(const Job& job) {
  // Worker w asks for w % 3 endpoints.
  const int count = job.me % 3;
  std::vector<comex_group_t> handles(static_cast<std::size_t>(count) + 1, COMEX_GROUP_NULL);
  job.done(comex_group_create_endpoints(everyone, count, handles.data()));
  int first = 0;
  int all = 0;
  for (int worker = 0; worker < job.workers; ++worker) {
    if (worker < job.me) first += worker % 3;
    all += worker % 3;
  }
  for (int i = 0; i < count; ++i) {
    const comex_group_t handle = handles[static_cast<std::size_t>(i)];
    int size = 0;
    int worker = -1;
    MPI_Comm comm = MPI_COMM_SELF;
    job.equal(rank_in(job, handle), first + i, "an endpoint's rank");
    job.done(comex_group_size(handle, &size));
    job.equal(size, all, "the endpoints there are");
    job.done(comex_group_translate_world(handle, first + i, &worker));
    job.equal(worker, job.me, "an endpoint's process");
    job.done(comex_group_comm(handle, &comm));
    job.require(comm == MPI_COMM_NULL, "endpoints have no communicator");
  }
  job.equal(handles.back(), COMEX_GROUP_NULL, "a handle past the last");
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < count; ++i) job.done(comex_group_free(handles[static_cast<std::size_t>(i)]));
}

// Members only make a group of every second endpoint, in falling order; the others stay out, by calling or
// not.
void groups_of_some_endpoints(const Job& job) {
  const Pair handles = two_endpoints(job);
  std::vector<int> odd;
  for (int worker = job.workers - 1; worker >= 0; --worker) odd.push_back(2 * worker + 1);
  std::vector<int> one_process{1, 0};
  by_both([&](std::size_t i) {
    comex_group_t group = COMEX_GROUP_NULL;
    const bool calls = i == 1 || job.me % 2 == 0;
    if (calls) {
      job.done(comex_group_create(job.workers, odd.data(), handles[i], &group));
      job.equal(group != COMEX_GROUP_NULL, i == 1, "being in the group of odd endpoints");
    }
    if (i == 1) {
      job.equal(rank_in(job, group), job.workers - 1 - job.me, "the rank among odd endpoints");
      job.done(comex_barrier(group));
      job.done(comex_group_free(group));
    }
    if (job.me != 0) return;
    job.done(comex_group_create(2, one_process.data(), handles[i], &group));
    job.equal(rank_in(job, group), i == 0 ? 1 : 0, "the rank in a group of one process");
    job.done(comex_barrier(group));
    job.done(comex_group_free(group));
  });
  release(job, handles);
}

// Every endpoint has memory of its own, and all of them count at rank 0.
void endpoints_reach_each_other(const Job& job) {
  const Pair handles = two_endpoints(job);
  int size = 0;
  job.done(comex_group_size(handles[0], &size));
  by_both([&](std::size_t i) {
    const comex_group_t group = handles[i];
    const int rank = rank_in(job, group);
    Everywhere<long> words(job, 4, group);
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    for (long round = 1; round <= 20; ++round) {
      long value = 1000 * round + rank;
      long scale = 1;
      long seen = -1;
      job.done(comex_put(&value, words.of(next), sizeof value, next, group));
      job.done(comex_acc(COMEX_ACC_LNG, &scale, &scale, words.of(0) + 1, sizeof scale, 0, group));
      job.done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &seen, words.of(0) + 2, 1, 0, group));
      job.require(seen >= (round - 1) * size && seen < round * size, "an endpoint's turn at the counter");
      job.done(comex_barrier(group));
      job.equal(look(words.mine()), 1000 * round + before, "what the endpoint before has put");
      job.done(comex_barrier(group));
    }
    if (rank == 0) {
      job.equal(look(words.mine() + 1), 20L * size, "what all endpoints accumulated");
      job.equal(look(words.mine() + 2), 20L * size, "what all endpoints counted");
    }
    job.done(comex_barrier(group));
  });
  release(job, handles);
}

// Each endpoint frees its own part, whatever rank it has there; other endpoints of the same processes may
// not.
void memory_goes_through_any_group_of_its_endpoints(const Job& job) {
  const Pair handles = two_endpoints(job);
  Pair turned{};
  Pair alone{};
  std::array<void*, 2> parts{};
  std::array<void*, 2> lone{};
  comex_set_errors(COMEX_ERRORS_RETURN);
  by_both([&](std::size_t i) {
    const int rank = rank_in(job, handles[i]);
    std::vector<void*> places(2 * static_cast<std::size_t>(job.workers));
    job.done(comex_malloc(places.data(), 64, handles[i]));
    parts[i] = places[static_cast<std::size_t>(rank)];
    job.done(comex_group_split(handles[i], 0, -rank, &turned[i]));
    job.done(comex_group_split(handles[i], static_cast<int>(i), 0, &alone[i]));
    job.done(comex_malloc(places.data(), 64, alone[i]));
    lone[i] = places[static_cast<std::size_t>(job.me)];
    long word = 0;
    job.done(comex_get(parts[i], &word, sizeof word, rank, handles[i]));
    job.done(comex_free(rank_in(job, turned[i]) == 0 ? parts[i] : nullptr, turned[i]));
    job.equal(comex_get(parts[i], &word, sizeof word, rank, handles[i]), COMEX_FAILURE,
              "a get of what is freed");
  });
  by_both([&](std::size_t i) {
    job.equal(comex_free(lone[1 - i], alone[i]), COMEX_FAILURE, "freeing what the other endpoints have");
    job.done(comex_free(lone[i], alone[i]));
  });
  comex_set_errors(COMEX_ERRORS_ABORT);
  for (const Pair& each : {alone, turned, handles}) release(job, each);
}

void lines_name_the_endpoint(const Job& job) {
  const Pair handles = two_endpoints(job);
  comex_set_errors(COMEX_ERRORS_RETURN);
  long word = 0;
  const std::string start = "comex: rank " + std::to_string(job.me);
  const auto put_nowhere = [&] { comex_put(&word, &word, sizeof word, -1, handles[1]); };
  const std::string line = told(put_nowhere);
  job.require(line.starts_with(start + ", endpoint " + std::to_string(2 * job.me + 1) + ", on "),
              "the line of an endpoint");
  const std::string plain = told([&] { comex_put(&word, &word, sizeof word, -1, everyone); });
  job.require(plain.starts_with(start + " on "), "the line of the process itself");
  comex_group_t group = everyone;
  told(put_nowhere);
  const std::string merging = told([&] { comex_group_merge(everyone, 0, &group); });
  job.require(merging.starts_with(start + " on "), "the line of the process that merges");
  told(put_nowhere);
  const std::string leaving = told([&] { comex_world_disconnect(&group); });
  job.require(leaving.starts_with(start + " on "), "the line of the process that disconnects");
  comex_set_errors(COMEX_ERRORS_ABORT);
  release(job, handles);
}

// A lock by one endpoint keeps the other endpoint of its process out, which cannot unlock it either.
void endpoints_are_requesters_of_their_own(const Job& job) {
  const Pair handles = two_endpoints(job);
  job.done(comex_create_mutexes(1));
  const int owner = (job.me + 1) % job.workers;
  std::atomic<int> step{0};
  std::atomic<bool> entered{false};
  comex_set_errors(COMEX_ERRORS_RETURN);
  by_both([&](std::size_t i) {
    job.done(comex_barrier(handles[i]));
    if (i == 0) {
      job.done(comex_lock(0, owner));
      step.store(1);
      while (step.load() < 2) comex_progress();
      for (int look_again = 0; look_again < 200; ++look_again) {
        comex_progress();
        job.require(!entered.load(), "only one endpoint holds the mutex");
      }
      job.done(comex_unlock(0, owner));
      return;
    }
    while (step.load() < 1) comex_progress();
    int acquired = -1;
    job.done(comex_trylock(0, owner, &acquired));
    job.equal(acquired, 0, "a mutex that the other endpoint holds");
    job.equal(comex_unlock(0, owner), COMEX_FAILURE, "unlocking for the other endpoint");
    step.store(2);
    job.done(comex_lock(0, owner));
    entered.store(true);
    job.done(comex_unlock(0, owner));
  });
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.require(entered.load(), "the other endpoint had its turn");
  job.done(comex_barrier(everyone));
  job.done(comex_destroy_mutexes());
  release(job, handles);
}

comex_group_t one_endpoint(const Job& job) {
  comex_group_t handle = COMEX_GROUP_NULL;
  job.done(comex_group_create_endpoints(everyone, 1, &handle));
  return handle;
}

// Who has driven an endpoint stands for it until another thread frees its last handle, and for the process
// after that; that other endpoints go changes nothing.
void a_thread_may_outlive_its_endpoint(const Job& job) {
  const comex_group_t driven = one_endpoint(job);
  const comex_group_t passing = one_endpoint(job);
  job.done(comex_create_mutexes(1));
  comex_set_errors(COMEX_ERRORS_RETURN);
  by_both([&](std::size_t i) {
    if (i == 0) {
      job.done(comex_group_free(passing));
    } else {
      job.done(comex_fence_all(driven));
    }
#pragma omp barrier
    if (i == 1) job.done(comex_lock(0, job.me));
#pragma omp barrier
    if (i == 0) job.equal(comex_unlock(0, job.me), COMEX_FAILURE, "unlocking for an endpoint with a handle");
#pragma omp barrier
    if (i == 1) job.done(comex_unlock(0, job.me));
#pragma omp barrier
    if (i == 0) job.done(comex_group_free(driven));
#pragma omp barrier
    if (i == 1) job.done(comex_lock(0, job.me));
#pragma omp barrier
    if (i == 0) job.equal(comex_unlock(0, job.me), COMEX_SUCCESS, "unlocking what the process has locked");
  });
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.done(comex_barrier(everyone));
  job.done(comex_destroy_mutexes());
}

// Nothing is started, and nobody is waited for.
void endpoints_meet_nobody(const Job& job) {
  const Pair handles = two_endpoints(job);
  const comex_group_t group = handles[0];
  const char* nobody = "127.0.0.1:9:0123456789abcdef0123456789abcdef";
  constexpr double limit_s = 0.2;
  comex_group_t made = -77;
  comex_set_errors(COMEX_ERRORS_RETURN);
  const auto is_refused = [&](const std::string& call, auto&& body) {
    const std::string line = told([&] { job.equal(body(), COMEX_FAILURE, call.c_str()); });
    const std::string wanted =
        call + ": group " + std::to_string(group) + " is one of endpoints, and processes meet";
    job.require(line.find(wanted) != std::string::npos, line.c_str());
  };
  is_refused("world_accept", [&] { return comex_world_accept(nobody, 0, group, limit_s, &made); });
  is_refused("world_connect", [&] { return comex_world_connect(nobody, 0, group, limit_s, &made); });
  is_refused("intergroup_create", [&] { return comex_intergroup_create(group, 0, everyone, 1, 3, &made); });
  is_refused("world_spawn", [&] { return comex_world_spawn("sh", nullptr, 1, 0, group, &made); });
  comex_set_errors(COMEX_ERRORS_ABORT);
  job.equal(made, -77, "an output of a call that was refused");
  release(job, handles);
}

void endpoints_of_endpoints(const Job& job) {
  const Pair outer = two_endpoints(job);
  std::array<Pair, 2> inner{};
  by_both([&](std::size_t i) { inner[i] = two_endpoints(job, outer[i]); });
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      job.equal(rank_in(job, inner[i][k]), static_cast<int>(4 * static_cast<std::size_t>(job.me) + 2 * i + k),
                "the rank of an endpoint's endpoint");
    }
  }
  job.equal(compared(job, inner[0][0], inner[1][1]), int{COMEX_ALIASED}, "endpoints of two endpoints");
#pragma omp parallel num_threads(4)
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const comex_group_t mine = inner[thread / 2][thread % 2];
    job.done(comex_barrier(mine));
    job.done(comex_group_free(mine));
  }
  release(job, outer);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  char threads[] = "threads";
  arguments.push_back(threads);
  arguments.push_back(nullptr);
  omp_set_dynamic(0);
  Job job(argc + 1, arguments.data(), "endpoints");
  job.check("the worked example", [&] { the_worked_example(job); });
  job.check("ranks follow the parent", [&] { ranks_follow_the_parent(job); });
  job.check("groups of some endpoints", [&] { groups_of_some_endpoints(job); });
  job.check("endpoints reach each other", [&] { endpoints_reach_each_other(job); });
  job.check("memory goes through any group of its endpoints",
            [&] { memory_goes_through_any_group_of_its_endpoints(job); });
  job.check("lines name the endpoint", [&] { lines_name_the_endpoint(job); });
  job.check("endpoints are requesters of their own", [&] { endpoints_are_requesters_of_their_own(job); });
  job.check("a thread may outlive its endpoint", [&] { a_thread_may_outlive_its_endpoint(job); });
  job.check("endpoints meet nobody", [&] { endpoints_meet_nobody(job); });
  job.check("endpoints of endpoints", [&] { endpoints_of_endpoints(job); });
}
