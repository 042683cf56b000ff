// Workers die and the others go on, with COMEX_ON_FAILURE=continue.
//
// Usage: failures CHECK     failures_test counts the survivors, each of which prints a line that ends with
// "ok"
#include <comex/worlds.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>
#include <vector>

namespace {

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
constexpr int victim = 1;

struct Job {
  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

void require(bool holds, const char* what, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "failures, line %u: %s\n", static_cast<unsigned>(where.line()), what);
  std::fflush(nullptr);
  std::raise(SIGKILL);
}

void die_if(bool is_one) {
  if (is_one) std::raise(SIGKILL);
}

std::vector<int> failed(comex_group_t group) {
  int size = 0;
  int count = 0;
  require(comex_group_size(group, &size) == COMEX_SUCCESS, "the group has a size");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  require(comex_failed(group, &count, ranks.data()) == COMEX_SUCCESS, "failed() succeeds");
  ranks.resize(static_cast<std::size_t>(count));
  return ranks;
}

void await_failures(std::size_t count) {
  while (failed(everyone).size() < count) comex_progress();
}

// By messages alone, which no dead worker is asked for.
void meet_by_messages(const Job& job) {
  for (int way = 0; way < 2; ++way) {
    for (int worker = 2; worker < job.workers; ++worker) {
      const bool sends = (job.me == 0) == (way == 1);
      if (job.me != 0 && job.me != worker) continue;
      const int other = job.me == 0 ? worker : 0;
      if (sends) MPI_Send(nullptr, 0, MPI_BYTE, other, way, job.comm);
      if (!sends) MPI_Recv(nullptr, 0, MPI_BYTE, other, way, job.comm, MPI_STATUS_IGNORE);
    }
  }
}

// Every worker learns of the death, in ranks of the group that it asks for.
void learn(const Job& job) {
  std::vector<int> reversed;
  for (int rank = job.workers - 1; rank >= 0; --rank) reversed.push_back(rank);
  comex_group_t backwards = COMEX_GROUP_NULL;
  require(comex_group_create(job.workers, reversed.data(), everyone, &backwards) == COMEX_SUCCESS, "a group");
  require(failed(everyone).empty(), "all live at first");
  require(comex_barrier(everyone) == COMEX_SUCCESS, "all meet at first");
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
  require(comex_barrier(everyone) == COMEX_SUCCESS, "all meet at first");
  if (job.me == victim) sleep(1);  // the others wait in the barrier by then
  die_if(job.me == victim);
  const comex_group_t groups[] = {everyone, copy};
  require(comex_barrier(groups[job.me % 2]) == COMEX_PROC_FAILED, "the barrier that had begun");
  for (const comex_group_t group : groups) {
    std::vector<void*> places(all.size());
    comex_group_t made = COMEX_GROUP_NULL;
    require(comex_barrier(group) == COMEX_PROC_FAILED, "a barrier");
    require(comex_malloc(places.data(), 64, group) == COMEX_PROC_FAILED, "an allocation");
    require(comex_group_create(job.workers, all.data(), group, &made) == COMEX_PROC_FAILED,
            "a group with it");
    require(comex_fence_all(group) == COMEX_SUCCESS, "a fence is no collective");
  }
  require(comex_create_mutexes(1) == COMEX_PROC_FAILED, "mutexes");
  require(comex_free(before[static_cast<std::size_t>(job.me)], everyone) == COMEX_PROC_FAILED, "a free");
  require(comex_group_free(copy) == COMEX_PROC_FAILED, "the end of a group");
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> places(living.size());
    int rank = -1;
    comex_group_rank(survivors, &rank);
    require(comex_malloc(places.data(), 64, survivors) == COMEX_SUCCESS, "an allocation of the living");
    require(comex_barrier(survivors) == COMEX_SUCCESS, "a barrier of the living");
    require(comex_free(places[static_cast<std::size_t>(rank)], survivors) == COMEX_SUCCESS, "its free");
  }
  require(comex_group_free(survivors) == COMEX_SUCCESS, "the end of the group of the living");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  require(comex_init() == COMEX_SUCCESS, "init succeeds");
  Job job;
  comex_group_rank(everyone, &job.me);
  comex_group_size(everyone, &job.workers);
  comex_group_comm(everyone, &job.comm);
  const std::string_view check = argc > 1 ? argv[1] : "";
  if (check == "learn") learn(job);
  if (check == "collectives") fail_collectives(job);
  meet_by_messages(job);
  std::printf("worker %d ok\n", job.me);
  std::fflush(stdout);
  _exit(EXIT_SUCCESS);
}
