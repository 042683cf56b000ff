// Lives of the runtime: begun and ended again and again, over the world and over communicators, left open.
//
// Usage: life world          three lives over MPI_COMM_WORLD, settings changed and progress ranks asleep
// between
//        life communicators  lives over halves and over reordered communicators, then over the world
//        life abandoned      no comex_finalize, with operations under way, memory allocated and a mutex held
//        life threadless     the system has no thread for a worker that serves itself
//        life unstarted [mute|threads]  comex_init_args starts MPI; mute: where nothing can be printed;
//        threads: at the level that workers need who serve themselves
// Exit status 0 on every rank, also on progress ranks, is part of what is tested.
#include <comex/comex.h>
#include <comex/worlds.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/no_threads.h"

namespace {

#define CHECK(claim) check(claim, #claim, __LINE__)
void check(bool claim, const char* text, int line) {
  if (claim) return;
  std::fprintf(stderr, "life: line %d: not so: %s\n", line, text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

struct World {
  World() {
    CHECK(comex_group_rank(COMEX_GROUP_WORLD, &me) == COMEX_SUCCESS);
    CHECK(comex_group_size(COMEX_GROUP_WORLD, &workers) == COMEX_SUCCESS);
    CHECK(comex_group_comm(COMEX_GROUP_WORLD, &comm) == COMEX_SUCCESS);
    comex_gpid_t gpid{};
    CHECK(comex_gpid(COMEX_GROUP_WORLD, me, &gpid) == COMEX_SUCCESS);
    number = gpid.world;
  }
  std::uint32_t number = 0;
  int me = 0;
  int workers = 0;
  MPI_Comm comm = MPI_COMM_NULL;
};

std::vector<long*> allocate(const World& world, std::size_t words) {
  std::vector<void*> places(static_cast<std::size_t>(world.workers));
  CHECK(comex_malloc(places.data(), words * sizeof(long), COMEX_GROUP_WORLD) == COMEX_SUCCESS);
  std::vector<long*> words_of;
  for (void* place : places) words_of.push_back(static_cast<long*>(place));
  std::memset(words_of[static_cast<std::size_t>(world.me)], 0, words * sizeof(long));
  CHECK(comex_barrier(COMEX_GROUP_WORLD) == COMEX_SUCCESS);
  return words_of;
}

// The worlds that this process has been in: which one, and its number.
struct Lived {
  std::uint32_t which;
  std::uint32_t number;
};
std::vector<Lived>& lived() {
  static std::vector<Lived> worlds;
  return worlds;
}

// Over all workers: no two worlds ever had one number.
void had_numbers_of_their_own(const World& world) {
  constexpr std::size_t most = 8;
  std::vector<Lived> mine = lived();
  CHECK(!mine.empty() && mine.size() <= most);
  mine.resize(most, mine.front());
  std::vector<Lived> all(most * static_cast<std::size_t>(world.workers));
  constexpr int bytes = most * sizeof(Lived);
  MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, world.comm);
  for (const Lived& one : all) {
    for (const Lived& other : all) CHECK((one.which == other.which) == (one.number == other.number));
  }
}

// Everybody counts and writes at everybody's: only a runtime that works gets through.
void use(const World& world) {
  const std::vector<long*> places = allocate(world, 64);
  CHECK(comex_create_mutexes(1) == COMEX_SUCCESS);
  for (int worker = 0; worker < world.workers; ++worker) {
    long* there = places[static_cast<std::size_t>(worker)];
    long old = 0;
    CHECK(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, there, 1, worker, COMEX_GROUP_WORLD) == COMEX_SUCCESS);
    long mine = world.me + 1;
    CHECK(comex_put(&mine, there + 1 + world.me, sizeof mine, worker, COMEX_GROUP_WORLD) == COMEX_SUCCESS);
    CHECK(comex_lock(0, worker) == COMEX_SUCCESS);
    CHECK(comex_unlock(0, worker) == COMEX_SUCCESS);
  }
  CHECK(comex_barrier(COMEX_GROUP_WORLD) == COMEX_SUCCESS);
  const long* here = places[static_cast<std::size_t>(world.me)];
  CHECK(here[0] == world.workers);
  for (int worker = 0; worker < world.workers; ++worker) CHECK(here[1 + worker] == worker + 1);
  CHECK(comex_destroy_mutexes() == COMEX_SUCCESS);
  CHECK(comex_free(places[0], COMEX_GROUP_WORLD) == COMEX_SUCCESS);
}

// Memory stays, a mutex is held, non-blocking operations run: what comes next has to end all that.
void leave_things_open(const World& world) {
  static std::vector<long> source(100'000, 7);
  static std::vector<long> result(100'000);
  const std::vector<long*> places = allocate(world, source.size());
  CHECK(comex_create_mutexes(2) == COMEX_SUCCESS);
  CHECK(comex_malloc_local(1000) != nullptr);
  const int next = (world.me + 1) % world.workers;
  const int bytes = static_cast<int>(source.size() * sizeof(long));
  long* there = places[static_cast<std::size_t>(next)];
  CHECK(comex_lock(world.me % 2, next) == COMEX_SUCCESS);
  comex_request_t handle = 0;
  CHECK(comex_nbput(source.data(), there, bytes, next, COMEX_GROUP_WORLD, &handle) == COMEX_SUCCESS);
  CHECK(comex_nbget(there, result.data(), bytes, next, COMEX_GROUP_WORLD, nullptr) == COMEX_SUCCESS);
  CHECK(comex_nbput(source.data(), there, 8, next, COMEX_GROUP_WORLD, nullptr) == COMEX_SUCCESS);
}

// A refused write is told at once where the caller writes itself, and by the fence where a server does.
bool puts_go_through_servers(const World& world) {
  static long word = 1;
  int mode = COMEX_ERRORS_RETURN;
  CHECK(comex_get_errors(&mode) == COMEX_SUCCESS && mode == COMEX_ERRORS_ABORT);
  CHECK(comex_set_errors(COMEX_ERRORS_RETURN) == COMEX_SUCCESS);
  CHECK(comex_get_errors(&mode) == COMEX_SUCCESS && mode == COMEX_ERRORS_RETURN);
  const int target = world.workers - 1;
  const bool at_once = comex_put(&word, &word, 8, target, COMEX_GROUP_WORLD) == COMEX_FAILURE;
  const bool later = comex_fence_proc(target, COMEX_GROUP_WORLD) == COMEX_FAILURE;
  CHECK(at_once != later);
  CHECK(comex_set_errors(COMEX_ERRORS_ABORT) == COMEX_SUCCESS);
  return later;
}

// A write that its server refuses is told by finalize alone, which has no line of its own: that of a failure
// before it does not stand in for it.
void end_with_a_refusal(const World& world, bool by_servers) {
  static long word = 1;
  CHECK(comex_set_errors(COMEX_ERRORS_RETURN) == COMEX_SUCCESS);
  const int code = comex_nbput(&word, &word, 8, world.workers - 1, COMEX_GROUP_WORLD, nullptr);
  CHECK(code == (by_servers ? COMEX_SUCCESS : COMEX_FAILURE));
  CHECK(comex_put(&word, &word, 8, world.workers, COMEX_GROUP_WORLD) == COMEX_FAILURE);
  CHECK(comex_finalize() == (by_servers ? COMEX_FAILURE : COMEX_SUCCESS));
  CHECK(!by_servers || *comex_error_text() == '\0');
  CHECK(comex_set_errors(COMEX_ERRORS_ABORT) == COMEX_SUCCESS);
}

// Processor time of a process in clock ticks: fields 14 and 15, counted behind the name, which may hold
// anything.
long ticks_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  long user = -1;
  long system = -1;
  fields >> user >> system;
  CHECK(user >= 0 && system >= 0);
  return user + system;
}

// Of all processes of MPI_COMM_WORLD, those that are no workers.
std::vector<int> progress_pids(const std::vector<int>& all, const World& world) {
  std::vector<int> workers(static_cast<std::size_t>(world.workers));
  const int mine = getpid();
  MPI_Allgather(&mine, 1, MPI_INT, workers.data(), 1, MPI_INT, world.comm);
  std::vector<int> rest;
  for (const int pid : all)
    if (std::find(workers.begin(), workers.end(), pid) == workers.end()) rest.push_back(pid);
  return rest;
}

// How often it has gone to sleep by itself.
long sleeps_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  const std::string name = "voluntary_ctxt_switches:";
  for (std::string line; std::getline(file, line);)
    if (line.rfind(name, 0) == 0) return std::stol(line.substr(name.size()));
  CHECK(!"the kernel counts sleeps");
  return -1;
}

// Who only yields does not sleep, and who spins takes a core, as far as others leave it one. An idle progress
// rank takes 1 to 3 % of one; beside other tests it may be more.
void sleep_beside(const std::vector<int>& pids) {
  if (pids.empty()) return;
  constexpr unsigned seconds = 2;
  std::vector<long> ticks;
  std::vector<long> sleeps;
  for (const int pid : pids) {
    ticks.push_back(ticks_of(pid));
    sleeps.push_back(sleeps_of(pid));
  }
  sleep(seconds);
  const long allowed = static_cast<long>(seconds) * sysconf(_SC_CLK_TCK) / 4;
  for (std::size_t i = 0; i < pids.size(); ++i) {
    CHECK(sleeps_of(pids[i]) - sleeps[i] >= 10);
    CHECK(ticks_of(pids[i]) - ticks[i] <= allowed);
  }
}

// Whether the kernel leaves the page out of core dumps; -1: it does not tell.
int is_left_out_of_dumps(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long low = 0;
    unsigned long high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &low, &high) == 2) {
      const auto at = reinterpret_cast<unsigned long>(address);
      is_here = low <= at && at < high;
    } else if (is_here && line.rfind("VmFlags:", 0) == 0) {
      return (line + ' ').find(" dd ") != std::string::npos ? 1 : 0;
    }
  }
  return -1;
}

void obey_core_setting() {
  const char* core = std::getenv("COMEX_CORE");
  const bool dumps = core != nullptr && std::strcmp(core, "full") == 0;
  void* mine = comex_malloc_local(4096);
  const int is_left_out = is_left_out_of_dumps(mine);
  CHECK(is_left_out == -1 || is_left_out == (dumps ? 0 : 1));
  CHECK(comex_free_local(mine) == COMEX_SUCCESS);
}

void live_in_world() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> pids(static_cast<std::size_t>(ranks));
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == ranks - 1) setenv("COMEX_VERBOSE", "1", 1);  // ranks may differ in it
  const int mine = getpid();
  MPI_Allgather(&mine, 1, MPI_INT, pids.data(), 1, MPI_INT, MPI_COMM_WORLD);
  CHECK(comex_finalize() == COMEX_SUCCESS);  // nothing to end
  int version[3] = {-1, -1, -1};
  CHECK(comex_version(&version[0], &version[1], &version[2]) == COMEX_SUCCESS);
  CHECK(version[0] == COMEX_VERSION_MAJOR && version[1] == COMEX_VERSION_MINOR &&
        version[2] == COMEX_VERSION_PATCH);
  const char* const servers = std::getenv("GA_NUM_PROGRESS_RANKS_PER_NODE");
  const bool is_alone = servers != nullptr && std::strcmp(servers, "0") == 0;
  CHECK(comex_thread_level() == (is_alone ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED));
  bool expects_servers = false;
  int workers = 0;
  for (int life = 0; life < 3; ++life) {
    CHECK(comex_initialized() == 0);
    CHECK(comex_init() == COMEX_SUCCESS);
    CHECK(comex_init() == COMEX_SUCCESS);  // the second says: it is there
    CHECK(comex_initialized() == 1);
    const World world;
    lived().push_back({static_cast<std::uint32_t>(life), world.number});
    had_numbers_of_their_own(world);
    if (life == 0) workers = world.workers;
    CHECK(world.workers == workers);
    const std::vector<int> progress = progress_pids(pids, world);
    obey_core_setting();
    const bool by_servers = puts_go_through_servers(world);
    if (life == 0) expects_servers = by_servers;
    CHECK(by_servers == (life == 1 || expects_servers));
    use(world);
    if (life != 1) leave_things_open(world);
    int me = world.me;
    end_with_a_refusal(world, by_servers);
    CHECK(comex_finalize() == COMEX_SUCCESS);
    if (life == 0) sleep_beside(progress);
    // What the launcher exported stays in the environments of progress ranks.
    if (std::getenv("COMEX_CHUNK_BYTES") != nullptr)
      setenv("COMEX_CHUNK_BYTES", life == 0 ? "128k" : "32k", 1);
    setenv("GA_NUM_PROGRESS_RANKS_PER_NODE", std::to_string(life).c_str(), 1);  // roles stay all the same
    if (me == 0 && life == 0) setenv("COMEX_ENABLE_PUT_SMP", "0", 1);
    if (me == 0 && life == 0) setenv("COMEX_ENABLE_PUT_SELF", "0", 1);
    if (me == 0 && life == 1) unsetenv("COMEX_ENABLE_PUT_SMP");
    if (me == 0 && life == 1) unsetenv("COMEX_ENABLE_PUT_SELF");
  }
}

// The communicators that the runtime hands out.
void has_the_handler_of(MPI_Comm comm) {
  MPI_Errhandler wanted = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &wanted);
  for (const comex_group_t group : {COMEX_GROUP_WORLD, COMEX_GROUP_SELF}) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    CHECK(comex_group_comm(group, &made) == COMEX_SUCCESS);
    MPI_Comm_get_errhandler(made, &found);
    CHECK(found == wanted);
    MPI_Errhandler_free(&found);
  }
  MPI_Errhandler_free(&wanted);
}

// Workers use it; progress ranks come back when the workers are done. True on a worker.
bool live_in(MPI_Comm comm, std::uint32_t which, bool leaves_things) {
  cpu_set_t before;
  cpu_set_t after;
  CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
  const int code = comex_init_comm(comm);
  const bool is_worker = code == COMEX_SUCCESS;
  CHECK(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(is_worker || CPU_EQUAL(&before, &after));
  CHECK(comex_initialized() == (is_worker ? 1 : 0));
  if (is_worker) {
    has_the_handler_of(comm);
    const World world;
    lived().push_back({which, world.number});
    CHECK(comex_init_comm(MPI_COMM_WORLD) == COMEX_SUCCESS);  // the first communicator stays
    int size = 0;
    MPI_Comm_size(comm, &size);
    CHECK(world.workers <= size);
    use(world);
    if (leaves_things) leave_things_open(world);
    CHECK(comex_finalize() == COMEX_SUCCESS);
  }
  int workers = is_worker ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &workers, 1, MPI_INT, MPI_SUM, comm);  // everybody is back
  CHECK(workers > 0);
  return is_worker;
}

void live_in_communicators() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN);
  if (rank % 2 == 0) {
    live_in(half, 0, true);
  } else {
    for (int round = 0; round < 100; ++round) MPI_Barrier(half);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  live_in(half, rank % 2 == 0 ? 1 : 2, false);  // both halves, at the same time
  const bool was_worker = live_in(reversed, 3, true);
  const bool is_worker = live_in(MPI_COMM_WORLD, 4, false);
  if (ranks == 3 && rank != 1) CHECK(was_worker != is_worker);  // another rank serves: the largest of each
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&half);
  CHECK(comex_init() == COMEX_SUCCESS);  // progress ranks do not come back from this one
  const World world;
  lived().push_back({5, world.number});
  had_numbers_of_their_own(world);
  use(world);
  CHECK(comex_finalize() == COMEX_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "unstarted") {
    // What is printed at the start and the end is lost, and nothing else.
    const std::string more = argc > 2 ? argv[2] : "";
    if (more == "mute") CHECK(std::freopen("/dev/full", "w", stderr) != nullptr);
    CHECK(comex_init_args(&argc, &argv) == COMEX_SUCCESS);
    int level = 0;
    MPI_Query_thread(&level);
    CHECK(more != "threads" || level == MPI_THREAD_MULTIPLE);
    use(World());
    return MPI_Finalize();
  }
  if (how == "threadless") {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    comex::testing::get_no_threads();
    return comex_init();
  }
  MPI_Init(&argc, &argv);
  if (how == "world") {
    live_in_world();
  } else if (how == "communicators") {
    live_in_communicators();
  } else if (how == "abandoned") {
    CHECK(comex_init() == COMEX_SUCCESS);
    leave_things_open(World());
  } else {
    CHECK(false && "a known case");
  }
  return MPI_Finalize();
}
