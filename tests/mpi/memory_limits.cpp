// Memory: what does not fit is an error on every worker and the job goes on; what fits is what it should be.
//
// Usage: memory_limits short LIMIT BYTES   asks for more than a limit leaves until it fails, expecting
// LIMIT's
//                                          name in the line (memory_limits_driver.py looks), then goes on
//        memory_limits none BYTES          the same where no memory at all is to be had
//        memory_limits fine                pieces of all sizes, kinds of memory, addresses, many times
#include <comex/comex.h>
#include <mpi.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

#define CHECK(claim) check(claim, #claim, __LINE__)
void check(bool claim, const char* text, int line) {
  if (claim) return;
  std::fprintf(stderr, "memory_limits: line %d: not so: %s\n", line, text);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

constexpr comex_group_t world = COMEX_GROUP_WORLD;
int me = 0;
int workers = 0;

std::size_t index(int worker) {
  return static_cast<std::size_t>(worker);
}

void check_works() {
  std::vector<void*> places(index(workers));
  CHECK(comex_malloc(places.data(), 4096, world) == COMEX_SUCCESS);
  std::memset(places[index(me)], me, 4096);
  comex_barrier(world);
  for (int worker = 0; worker < workers; ++worker) {
    char seen[4096];
    CHECK(comex_get(places[index(worker)], seen, 4096, worker, world) == COMEX_SUCCESS);
    CHECK(seen[0] == worker && seen[4095] == worker);
  }
  CHECK(comex_free(places[index(me)], world) == COMEX_SUCCESS);
}

// Asks again and again and touches what it gets: the end must be an error, not a signal.
void run_short(std::size_t bytes, bool can_work) {
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::vector<std::vector<void*>> got;
  for (;;) {
    std::vector<void*> places(index(workers), &me);
    const int code = comex_malloc(places.data(), bytes, world);
    int failed = code == COMEX_SUCCESS ? 0 : 1;
    int everywhere = 0;
    MPI_Comm comm = MPI_COMM_NULL;
    comex_group_comm(world, &comm);
    MPI_Allreduce(&failed, &everywhere, 1, MPI_INT, MPI_SUM, comm);
    CHECK(everywhere == 0 || everywhere == workers);  // on all or on none
    if (failed != 0) {
      for (const void* place : places) CHECK(place == &me);
      break;
    }
    std::memset(places[index(me)], 1, bytes);
    got.push_back(places);
    CHECK(got.size() < 1000);
  }
  comex_barrier(world);
  // So many that what others have taken of the same limit meanwhile does not matter.
  for (int piece = 0; piece < 4 && !got.empty(); ++piece) {
    CHECK(comex_free(got.back()[index(me)], world) == COMEX_SUCCESS);
    got.pop_back();
  }
  if (can_work) check_works();
  comex_barrier(world);
  // One that is too large for anything, by itself and not collectively; nobody else is held up.
  for (int time = 0; time < 2; ++time)
    CHECK(comex_malloc_local(std::numeric_limits<std::size_t>::max() - 5000) == nullptr);
  for (const auto& places : got) CHECK(comex_free(places[index(me)], world) == COMEX_SUCCESS);
  if (can_work) check_works();
  if (me == 0) std::printf("went on after %zu pieces\n", got.size());
}

void sizes_and_nulls() {
  std::vector<void*> places(index(workers), &me);
  CHECK(comex_malloc(places.data(), 0, world) == COMEX_SUCCESS);
  for (const void* place : places) CHECK(place == nullptr);
  CHECK(comex_free(nullptr, world) == COMEX_SUCCESS);
  CHECK(comex_free(nullptr, world) == COMEX_SUCCESS);  // as often as one likes
  std::vector<int> reversed;
  for (int rank = workers; rank-- > 0;) reversed.push_back(rank);
  comex_group_t group = COMEX_GROUP_NULL;
  comex_group_t self = COMEX_GROUP_NULL;
  CHECK(comex_group_create(workers, reversed.data(), world, &group) == COMEX_SUCCESS);
  CHECK(comex_group_create(1, &me, world, &self) == COMEX_SUCCESS);
  for (const comex_group_t over : {group, self}) {
    places.assign(index(workers), &me);
    CHECK(comex_malloc(places.data(), 0, over) == COMEX_SUCCESS);
    CHECK(places[0] == nullptr);
    CHECK(comex_free(nullptr, over) == COMEX_SUCCESS);
    CHECK(comex_free_dev(nullptr, over) == COMEX_SUCCESS);
  }
  CHECK(comex_group_free(self) == COMEX_SUCCESS);
  CHECK(comex_group_free(group) == COMEX_SUCCESS);
  // Worker 0 has nothing; it may free by its own null or by the name that another's part has. All may name
  // the next one's, though nobody names its own then.
  for (int round = 0; round < 3; ++round) {
    const std::size_t bytes = index(me) * 3000;
    CHECK(comex_malloc(places.data(), bytes, world) == COMEX_SUCCESS);
    CHECK((places[0] == nullptr) && (workers == 1 || places[index(workers) - 1] != nullptr));
    for (int worker = 1; worker < workers; ++worker) {
      char* end = static_cast<char*>(places[index(worker)]) + worker * 3000;
      long value = worker;
      CHECK(comex_put(&value, end - sizeof value, sizeof value, worker, world) == COMEX_SUCCESS);
    }
    comex_barrier(world);
    const int named[] = {me, workers - 1, (me + 1) % workers};
    CHECK(comex_free(places[index(named[round])], world) == COMEX_SUCCESS);
  }
}

// Addresses of workers on the same host are good for plain loads and stores.
void shared_addresses() {
  std::vector<void*> places(index(workers));
  CHECK(comex_malloc(places.data(), 8 * index(workers), world) == COMEX_SUCCESS);
  int my_host = 0;
  CHECK(comex_host_of(me, world, &my_host) == COMEX_SUCCESS);
  std::memset(places[index(me)], 0, 8 * index(workers));
  comex_barrier(world);
  int here = 0;
  for (int worker = 0; worker < workers; ++worker) {
    int host = 0;
    CHECK(comex_host_of(worker, world, &host) == COMEX_SUCCESS);
    if (host != my_host) continue;
    static_cast<long*>(places[index(worker)])[me] = me + 1;
    ++here;
  }
  comex_barrier(world);
  int found = 0;
  for (int worker = 0; worker < workers; ++worker) {
    const long value = static_cast<long*>(places[index(me)])[worker];
    CHECK(value == 0 || value == worker + 1);
    found += value != 0 ? 1 : 0;
  }
  CHECK(found == here);
  CHECK(comex_free(places[index(me)], world) == COMEX_SUCCESS);
}

void local_memory_is_remote() {
  auto* mine = static_cast<long*>(comex_malloc_local(8 * index(workers)));
  CHECK(mine != nullptr);
  std::vector<void*> places(index(workers));
  MPI_Comm comm = MPI_COMM_NULL;
  comex_group_comm(world, &comm);
  void* address = mine;
  MPI_Allgather(&address, sizeof address, MPI_BYTE, places.data(), sizeof address, MPI_BYTE, comm);
  long value = me + 10;
  for (int worker = 0; worker < workers; ++worker) {
    CHECK(comex_put(&value, static_cast<long*>(places[index(worker)]) + me, 8, worker, world) ==
          COMEX_SUCCESS);
  }
  comex_barrier(world);
  for (int worker = 0; worker < workers; ++worker) CHECK(mine[worker] == worker + 10);
  comex_barrier(world);
  CHECK(comex_free_local(mine) == COMEX_SUCCESS);
  CHECK(comex_free_local(nullptr) == COMEX_SUCCESS);
  CHECK(comex_malloc_local(0) == nullptr);
}

void kinds_of_memory() {
  for (const char* kind : {static_cast<const char*>(nullptr), "dram", "numa:0"}) {
    std::vector<void*> places(index(workers));
    CHECK(comex_malloc_mem_dev(places.data(), 100'000, world, kind) == COMEX_SUCCESS);
    std::memset(places[index(me)], 1, 100'000);
    CHECK(comex_free_dev(places[index(me)], world) == COMEX_SUCCESS);
  }
  comex_set_errors(COMEX_ERRORS_RETURN);
  std::vector<void*> places(index(workers), &me);
  for (const char* kind : {"floppy", "numa:999", "numa:", "numa:0x"}) {
    CHECK(comex_malloc_mem_dev(places.data(), 100'000, world, kind) == COMEX_FAILURE);
    CHECK(places[0] == &me);
  }
  comex_set_errors(COMEX_ERRORS_ABORT);
}

// A write that came later than the memory's end would be refused, and end the job.
void freed_memory_has_nothing_under_way() {
  constexpr int bytes = 1 << 20;
  std::vector<char> source(bytes, 'x');
  const int to = (me + 1) % workers;
  for (int round = 0; round < 10; ++round) {
    std::vector<void*> places(index(workers));
    CHECK(comex_malloc(places.data(), bytes, world) == COMEX_SUCCESS);
    char* there = static_cast<char*>(places[index(to)]);
    CHECK(comex_nbput(source.data(), there, bytes, to, world, nullptr) == COMEX_SUCCESS);
    for (int at = 0; at < 100; ++at) {
      CHECK(comex_nbput(source.data(), there + at, 1, to, world, nullptr) == COMEX_SUCCESS);
    }
    CHECK(comex_free(me == round % workers ? there : nullptr, world) == COMEX_SUCCESS);
  }
}

// What this host's arena holds, whoever touched it: what is resident in one process also grows when it gets
// pages that another had before.
long arena_kib() {
  std::map<ino_t, long> blocks;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;  // the listing's own descriptor
    const std::string name = std::filesystem::read_symlink(entry.path(), closed).string();
    const bool is_arena = name.rfind("/memfd:comex", 0) == 0 || name.rfind("/dev/shm/#", 0) == 0 ||
                          name.rfind("/comex (deleted)", 0) == 0;
    if (!is_arena) continue;
    struct stat status {};
    if (stat(entry.path().c_str(), &status) == 0) blocks[status.st_ino] = status.st_blocks;
  }
  long sum = 0;
  for (const auto& [inode, count] : blocks) sum += count;
  return sum / 2;  // from units of 512 bytes
}

// All but the last worker; each second one has none, and all free by what rank 0 has.
void over_a_group() {
  if (workers < 3) return;
  std::vector<int> members(index(workers - 1));
  std::iota(members.begin(), members.end(), 0);
  comex_group_t group = COMEX_GROUP_NULL;
  CHECK(comex_group_create(workers - 1, members.data(), world, &group) == COMEX_SUCCESS);
  if (me == workers - 1) return;
  for (const bool by_own : {true, false}) {
    std::vector<void*> places(members.size());
    CHECK(comex_malloc(places.data(), me % 2 == 0 ? 8 : 0, group) == COMEX_SUCCESS);
    for (const int member : members) CHECK((places[index(member)] != nullptr) == (member % 2 == 0));
    long mine = me;
    const int to = (me + 2) / 2 * 2 % (workers - 1) / 2 * 2;
    CHECK(comex_put(&mine, places[index(to)], sizeof mine, to, group) == COMEX_SUCCESS);
    CHECK(comex_free(places[by_own ? index(me) : 0], group) == COMEX_SUCCESS);
  }
  CHECK(comex_group_free(group) == COMEX_SUCCESS);
}

void many_times() {
  constexpr int times = 10'000;
  std::vector<void*> places(index(workers));
  long early = 0;
  for (int round = 0; round < times; ++round) {
    const std::size_t bytes = 1 + static_cast<std::size_t>(round * 7919 % 60'000);
    CHECK(comex_malloc(places.data(), bytes, world) == COMEX_SUCCESS);
    static_cast<char*>(places[index(me)])[bytes - 1] = 1;
    CHECK(comex_free(places[index(me)], world) == COMEX_SUCCESS);
    if (round == times / 10) early = arena_kib();
  }
  CHECK(early > 0);
  CHECK(arena_kib() <= early + 256);  // room for few pieces that lie otherwise
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  CHECK(comex_init() == COMEX_SUCCESS);
  comex_group_rank(world, &me);
  comex_group_size(world, &workers);
  if (how == "short" || how == "none") {
    run_short(std::strtoull(argv[2], nullptr, 10), how == "short");
  } else {
    sizes_and_nulls();
    shared_addresses();
    local_memory_is_remote();
    kinds_of_memory();
    freed_memory_has_nothing_under_way();
    over_a_group();
    if (how != "brief") many_times();
  }
  CHECK(comex_finalize() == COMEX_SUCCESS);
  return MPI_Finalize();
}
