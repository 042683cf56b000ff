// Workers die and the others go on, with COMEX_ON_FAILURE=continue.
//
// Usage: failures CHECK [comm]     with comm, over a communicator of its own. failures_test counts the
// survivors, each of which prints a line that ends with "ok"
#include <comex/worlds.h>
#include <mpi.h>
#include <unistd.h>
#include <comex/comex.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "mpi/failures.h"
#include "mpi/failures_wrong.h"

namespace {

using namespace comex::testing::failures;

// Every worker learns of the death, in ranks of the group that it asks for.
void learn(const Job& job) {
  std::vector<int> reversed;
  for (int rank = job.workers - 1; rank >= 0; --rank) reversed.push_back(rank);
  comex_group_t backwards = COMEX_GROUP_NULL;
  require(comex_group_create(job.workers, reversed.data(), everyone, &backwards) == COMEX_SUCCESS, "a group");
  require(failed(everyone).empty(), "all live at first");
  meet_before_a_death();
  die_if(job.me == victim);
  await_failures(1);
  require(failed(everyone) == std::vector<int>{victim}, "the dead worker is named");
  require(failed(backwards) == std::vector<int>{job.workers - 1 - victim}, "by its rank in the group");
  require(failed(COMEX_GROUP_SELF).empty(), "nobody else is");
  int count = 0;
  require(comex_failed(everyone, &count, nullptr) == COMEX_SUCCESS && count == 1, "they can be counted only");
}

// Collectives over a group with a dead member fail on everybody, also on those who wait in one already;
// groups without it go on.
void fail_collectives(const Job& job) {
  std::vector<int> all;
  std::vector<int> living;
  for (int worker = 0; worker < job.workers; ++worker) {
    all.push_back(worker);
    if (worker != victim) living.push_back(worker);
  }
  std::vector<void*> before(all.size());
  comex_group_t copy = COMEX_GROUP_NULL;
  comex_group_t survivors = COMEX_GROUP_NULL;
  require(comex_malloc(before.data(), 64, everyone) == COMEX_SUCCESS, "memory before");
  require(comex_group_create(job.workers, all.data(), everyone, &copy) == COMEX_SUCCESS, "a group of all");
  require(comex_group_create(static_cast<int>(living.size()), living.data(), everyone, &survivors) ==
              COMEX_SUCCESS,
          "a group of those who will live");
  meet_before_a_death();
  if (job.me == victim) sleep(1);  // the others wait in the barrier by then
  die_if(job.me == victim);
  const comex_group_t groups[] = {everyone, copy};
  require(comex_barrier(groups[job.me % 2]) == COMEX_PROC_FAILED, "the barrier that had begun");
  for (const comex_group_t group : groups) {
    std::vector<void*> places(all.size());
    comex_group_t made = COMEX_GROUP_NULL;
    require(comex_barrier(group) == COMEX_PROC_FAILED, "a barrier");
    require(comex_malloc(places.data(), 64, group) == COMEX_PROC_FAILED, "an allocation");
    for (int round = 0; round < 40; ++round)  // more than there is, if any were kept
      require(comex_malloc(places.data(), 1UL << 30, group) == COMEX_PROC_FAILED, "a large allocation");
    require(comex_group_create(job.workers, all.data(), group, &made) == COMEX_PROC_FAILED,
            "a group with it");
    require(comex_group_dup(group, &made) == COMEX_PROC_FAILED, "a copy of it");
    require(comex_group_split(group, 0, 0, &made) == COMEX_PROC_FAILED, "its parts");
    require(comex_group_create_endpoints(group, 1, &made) == COMEX_PROC_FAILED, "endpoints of it");
    require(comex_fence_all(group) == COMEX_SUCCESS, "a fence is no collective");
  }
  require(comex_create_mutexes(1) == COMEX_PROC_FAILED, "mutexes");
  comex_set_errors(COMEX_ERRORS_RETURN);
  require(comex_lock(0, job.me) == COMEX_FAILURE, "a mutex that nobody got");
  comex_set_errors(COMEX_ERRORS_ABORT);
  require(comex_free(before[static_cast<std::size_t>(job.me)], everyone) == COMEX_PROC_FAILED, "a free");
  require(comex_group_free(copy) == COMEX_PROC_FAILED, "the end of a group");
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> places(living.size());
    int rank = -1;
    comex_group_rank(survivors, &rank);
    require(comex_malloc(places.data(), 1UL << 26, survivors) == COMEX_SUCCESS,
            "an allocation of the living");
    require(comex_barrier(survivors) == COMEX_SUCCESS, "a barrier of the living");
    require(comex_free(places[static_cast<std::size_t>(rank)], survivors) == COMEX_SUCCESS, "its free");
  }
  require(comex_group_free(survivors) == COMEX_SUCCESS, "the end of the group of the living");
}

// The dead worker's memory is used on.
void use_memory(const Job& job) {
  const Memory memory(job);
  die_if(job.me == victim);
  await_failures(1);
  long* const there = memory.at(victim);
  std::vector<long> seen(Memory::words);
  const int all_bytes = Memory::words * static_cast<int>(sizeof(long));
  require(comex_get(there, seen.data(), all_bytes, victim, everyone) == COMEX_SUCCESS, "a long get");
  for (int i = 100; i < Memory::words; ++i)
    require(seen[static_cast<std::size_t>(i)] == 1000 * victim + i, "its data");
  const Living living(everyone);
  require(living.size == job.workers - 1, "all but one live");
  require(comex_barrier(living.group) == COMEX_SUCCESS, "they meet");
  long one = 1;
  std::vector<long> ones(10'000, 1);
  const int acc_bytes = static_cast<int>(ones.size() * sizeof(long));
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    long old = 0;
    require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, there, 1, victim, everyone) == COMEX_SUCCESS, "an rmw");
    require(comex_acc(COMEX_ACC_LNG, &one, ones.data(), there + 1000, acc_bytes, victim, everyone) ==
                COMEX_SUCCESS,
            "an acc");
    require(comex_nbput(&one, there + 1 + job.me, sizeof one, victim, everyone, nullptr) == COMEX_SUCCESS,
            "a put");
  }
  require(comex_fence_proc(victim, everyone) == COMEX_SUCCESS, "a fence");
  require(comex_barrier(living.group) == COMEX_SUCCESS, "they meet again");
  require(comex_get(there, seen.data(), all_bytes, victim, everyone) == COMEX_SUCCESS, "another long get");
  require(seen[0] == 1000 * victim + rounds * living.size, "all have added");
  for (int worker = 0; worker < job.workers; ++worker)
    require(worker == victim || seen[static_cast<std::size_t>(1 + worker)] == 1, "all have put");
  require(seen[1000] == 1000 * victim + 1000 + rounds * living.size, "all have accumulated");
  require(comex_barrier(living.group) == COMEX_SUCCESS, "nobody frees before");
}

// Whoever gets a mutex of which the holder died is told so, and nobody else; the mutexes lie on both hosts.
void take_mutexes(const Job& job) {
  const Memory memory(job);
  const int owners[] = {0, victim, job.workers - 1};
  if (job.me == victim) {
    for (const int owner : owners) {
      require(comex_lock(0, owner) == COMEX_SUCCESS && comex_lock(1, owner) == COMEX_SUCCESS,
              "the victim's locks");
    }
  }
  meet_before_a_death();           // the victim holds them
  if (job.me == victim) sleep(1);  // the others wait in line by then
  die_if(job.me == victim);
  for (const int owner : owners) {
    comex::mutex first(0, owner);
    const int told = first.lock() ? 1 : 0;  // the code that tells it is no error of comex.hpp
    long old = 0;
    long* const count = memory.at(0) + owner;
    require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, count, told, 0, everyone) == COMEX_SUCCESS, "a count");
    first.unlock();
    comex::mutex second(1, owner);
    bool is_taken_over = false;
    while (!second.try_lock(is_taken_over)) {
    }
    const int told_again = is_taken_over ? 1 : 0;
    require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, count + 1000, told_again, 0, everyone) == COMEX_SUCCESS,
            "a count");
    second.unlock();
  }
  const Living living(everyone);
  require(comex_barrier(living.group) == COMEX_SUCCESS, "they meet");
  std::vector<long> counts(2000);
  require(comex_get(memory.at(0), counts.data(), 2000 * sizeof(long), 0, everyone) == COMEX_SUCCESS,
          "the counts");
  for (const int owner : owners) {
    require(counts[static_cast<std::size_t>(owner)] == owner + 1, "one is told of each dead holder by lock");
    require(counts[static_cast<std::size_t>(owner + 1000)] == owner + 1001, "and one by trylock");
  }
  require(comex_destroy_mutexes() == COMEX_PROC_FAILED, "an end that is not one of all");
  for (const int owner : owners) {  // so they are still there, on both hosts
    require(comex_lock(0, owner) == COMEX_SUCCESS && comex_unlock(0, owner) == COMEX_SUCCESS,
            "a mutex after an end that failed");
  }
  require(comex_barrier(living.group) == COMEX_SUCCESS, "nobody leaves before");
}

// The living have a group of their own, over which everything works; then another one dies while they shrink.
void shrink(const Job& job) {
  meet_before_a_death();
  die_if(job.me == victim);
  Living living(everyone);
  require(living.size == job.workers - 1 && living.rank == (job.me > victim ? job.me - 1 : job.me),
          "in order");
  std::vector<void*> places(static_cast<std::size_t>(living.size));
  require(comex_malloc(places.data(), sizeof(double), living.group) == COMEX_SUCCESS, "an allocation");
  auto* const mine = static_cast<double*>(places[static_cast<std::size_t>(living.rank)]);
  *mine = 0;
  require(comex_barrier(living.group) == COMEX_SUCCESS, "a barrier");
  double one = 1;
  for (int to = 0; to < living.size; ++to) {
    require(comex_acc(COMEX_ACC_DBL, &one, &one, places[static_cast<std::size_t>(to)], sizeof one, to,
                      living.group) == COMEX_SUCCESS,
            "an acc");
  }
  require(comex_barrier(living.group) == COMEX_SUCCESS, "a barrier");
  require(*mine == living.size, "all have accumulated");
  MPI_Comm comm = MPI_COMM_NULL;
  require(comex_group_comm(living.group, &comm) == COMEX_SUCCESS && comm != MPI_COMM_NULL, "a communicator");
  int sum = 0;
  int mine_in_sum = 1;
  MPI_Allreduce(&mine_in_sum, &sum, 1, MPI_INT, MPI_SUM, comm);
  require(sum == living.size, "its collectives");
  require(comex_free(mine, living.group) == COMEX_SUCCESS, "a free");
  require(comex_barrier(living.group) == COMEX_SUCCESS, "a barrier");
  const bool is_next = living.rank == living.size - 1;
  if (is_next) usleep(1000 * static_cast<unsigned>(getpid() % 120));
  die_if(is_next);
  const int before = living.size;
  while (comex_barrier(living.group) == COMEX_PROC_FAILED || living.size == before)
    living = Living(living.group);
  require(living.size == before - 1, "all but two live");
  require(comex_group_free(living.group) == COMEX_SUCCESS, "its end");
}

// Who is late for it is waited for, longer than COMEX_MEET_S.
void shrink_late(const Job& job) {
  meet_before_a_death();
  die_if(job.me == victim);
  if (job.me == job.workers - 1) sleep(3);
  const Living living(everyone);
  require(living.size == job.workers - 1, "all but one live");
}

void gets_until_it_is_lost(long* there, int target) {
  long near = 0;
  int code = COMEX_SUCCESS;
  while (code == COMEX_SUCCESS) code = comex_get(there, &near, sizeof near, target, everyone);
  require(code == COMEX_PROC_FAILED, "a get that is under way");
}

int no_card(uint32_t, uint32_t, void*, size_t* bytes, void*) {
  *bytes = 0;
  return 0;
}
int any_card(uint32_t, uint32_t, const void*, size_t, void*) {
  return 0;
}
int die_in_hook(comex_group_t, comex_group_t, int, const comex_gpid_t*, int, void* context) {
  die_if(*static_cast<bool*>(context));
  return 0;
}

// Halves of the world meet; who dies is the leader of one before, or a member of it meanwhile.
void join(const Job& job, bool is_leader) {
  bool is_next = !is_leader && job.me == job.workers - 1;
  const comex_card_hook_t hook{no_card, any_card, die_in_hook, &is_next};
  comex_group_t half = COMEX_GROUP_NULL;
  comex_group_t inter = COMEX_GROUP_NULL;
  require(comex_group_split(everyone, job.me % 2, 0, &half) == COMEX_SUCCESS, "a half");
  require(comex_set_card_hook(&hook) == COMEX_SUCCESS, "a hook");
  meet_before_a_death();
  if (is_leader) {
    die_if(job.me == victim);
    await_failures(1);
  }
  require(comex_intergroup_create(half, 0, everyone, 1 - job.me % 2, 3, &inter) == COMEX_PROC_FAILED,
          "halves of which one has a dead member");
  require(inter == COMEX_GROUP_NULL, "no group is made");
  const Living living(everyone);
  require(comex_barrier(living.group) == COMEX_SUCCESS, "the living meet");
}

// All processes of the second host die, or its progress rank alone, without which they end: what is under way
// to it fails, and so does what comes later.
void lose_host(const Job& job, const std::vector<int>& pids, bool is_server_alone) {
  const Memory memory(job);
  const int first_lost = job.workers / 2;
  const bool is_lost = job.me >= first_lost;
  if (job.me == first_lost) {
    sleep(1);  // the others wait by then
    const int ranks = static_cast<int>(pids.size());
    for (int rank = is_server_alone ? ranks - 1 : ranks / 2; rank < ranks; ++rank) {
      if (pids[static_cast<std::size_t>(rank)] != getpid())
        kill(pids[static_cast<std::size_t>(rank)], SIGKILL);
    }
  }
  die_if(job.me == first_lost && !is_server_alone);
  if (is_lost) comex_barrier(everyone);
  const int target = job.workers - 1;
  long* const there = memory.at(target);
  // What MPI does to a process that reads from the memory of one that dies is its own: it may hang or end it.
  long near = 1;
  constexpr int bytes = sizeof near;
  if (job.me == 0) {
    gets_until_it_is_lost(there, target);
  } else {
    require(comex_barrier(everyone) == COMEX_PROC_FAILED, "a barrier that has begun");
  }
  await_failures(static_cast<std::size_t>(job.workers - first_lost));
  long one = 1;
  comex_request_t handle{};
  require(comex_put(&one, there, sizeof one, target, everyone) == COMEX_PROC_FAILED, "a put");
  require(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &one, there, 1, target, everyone) == COMEX_PROC_FAILED,
          "an rmw");
  require(comex_lock(0, target) == COMEX_PROC_FAILED, "a lock");
  require(comex_nbget(there, &near, bytes, target, everyone, &handle) == COMEX_SUCCESS, "a get begins");
  require(comex_wait(&handle) == COMEX_PROC_FAILED, "and fails");
  require(comex_nbput(&one, there, sizeof one, target, everyone, nullptr) == COMEX_SUCCESS, "a put begins");
  require(comex_wait_proc(target, everyone) == COMEX_PROC_FAILED, "and fails");
  const Living living(everyone);
  require(living.size == first_lost, "the first host lives");
  for (int round = 0; round < 20; ++round) {
    const int next = (living.rank + 1) % living.size;
    require(comex_put(&one, memory.at(next) + job.me, sizeof one, next, living.group) == COMEX_SUCCESS,
            "a put");
    require(comex_barrier(living.group) == COMEX_SUCCESS, "a barrier");
  }
  // With COMEX_ENABLE_PUT_SMP=0 and COMEX_ENABLE_GET_SMP=0 the progress rank refuses them.
  char* const nowhere = reinterpret_cast<char*>(std::uintptr_t{1} << 46);
  const int next = (living.rank + 1) % living.size;
  comex_set_errors(COMEX_ERRORS_RETURN);
  const int put = comex_put(&one, nowhere, sizeof one, next, living.group);
  const int fence = comex_fence_proc(next, living.group);
  require(put == COMEX_FAILURE || fence == COMEX_FAILURE, "a wrong address after a loss is no death");
  const int get = comex_nbget(nowhere, &one, sizeof one, next, living.group, &handle);
  require(get == COMEX_FAILURE || comex_wait(&handle) == COMEX_FAILURE, "nor is one that a wait tells of");
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// The host of the ranks 0 and 5 of six, whose worker is the last one.
void lose_first_host(const Job& job, const std::vector<int>& pids) {
  const Memory memory(job);
  const int lost = job.workers - 1;
  if (job.me == lost) kill(pids.front(), SIGKILL);
  die_if(job.me == lost);
  gets_until_it_is_lost(memory.at(lost), lost);
  const Living living(everyone);
  require(living.size == lost, "the other hosts live");
}

// One line and the end of the job.
void call_different_collectives(const Job& job) {
  std::vector<int> all(static_cast<std::size_t>(job.workers));
  for (int worker = 0; worker < job.workers; ++worker) all[static_cast<std::size_t>(worker)] = worker;
  comex_group_t group{};
  require(comex_group_create(job.workers, all.data(), everyone, &group) == COMEX_SUCCESS, "a group is made");
  std::vector<void*> parts(all.size());
  if (job.me == 0) {
    comex_barrier(group);
  } else {
    comex_malloc(parts.data(), 64, group);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> pids(static_cast<std::size_t>(ranks));
  int pid = getpid();
  MPI_Allgather(&pid, 1, MPI_INT, pids.data(), 1, MPI_INT, MPI_COMM_WORLD);
  if (argc > 2) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (comex_init_comm(comm) == COMEX_FAILURE) {  // a progress rank
      MPI_Finalize();
      return 0;
    }
  } else {
    require(comex_init() == COMEX_SUCCESS, "init succeeds");
  }
  Job job;
  comex_group_rank(everyone, &job.me);
  comex_group_size(everyone, &job.workers);
  const std::string_view check = argc > 1 ? argv[1] : "";
  const std::pair<std::string_view, void (*)(const Job&)> checks[] = {
      {"learn", learn},          {"collectives", fail_collectives},
      {"memory", use_memory},    {"mutexes", take_mutexes},
      {"shrink", shrink},        {"shrink_late", shrink_late},
      {"refused", refuse_alone}, {"wrong", be_wrong_in_collectives}};
  for (const auto& [name, run] : checks)
    if (check == name) run(job);
  if (check == "join" || check == "join_leader") join(job, check == "join_leader");
  if (check == "host" || check == "server") lose_host(job, pids, check == "server");
  if (check == "first_host") lose_first_host(job, pids);
  if (check == "late") {
    if (job.me == victim) sleep(20);
    comex_barrier(everyone);
  }
  if (check == "mismatch") call_different_collectives(job);
  require(comex_finalize() == COMEX_SUCCESS, "finalize succeeds");
  if (check == "learn") {
    comex_set_errors(COMEX_ERRORS_RETURN);
    require(comex_init() == COMEX_FAILURE, "the runtime does not start again with dead workers");
  }
  std::printf("worker %d ok\n", job.me);
  MPI_Finalize();
}
