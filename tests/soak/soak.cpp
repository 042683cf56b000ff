// soak FOLDER SECONDS HOSTS [SEED]: works with everything that a program can get and give back, round after
// round.
//
// Between rounds, when nothing is allocated and nothing under way, worker 0 makes the file FOLDER/quiet.N and
// goes on once there is FOLDER/go.N: meanwhile tools/soak measures the job. Every result is checked.
#include <comex/comex.h>
#include <comex/extended.h>
#include <comex/worlds.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr comex_group_t everyone = COMEX_GROUP_WORLD;
constexpr int rounds_a_runtime = 20;  // then the runtime is finalized and started anew
constexpr int least_runtimes = 8;

int me = 0;
int workers = 0;

void require(bool is_so, const char* what) {
  if (!is_so) comex_error((std::string("soak: ") + what).c_str(), 1);
}
void done(int result, const char* what) {
  require(result == COMEX_SUCCESS, what);
}

// All workers draw the same numbers from `shared`.
struct Draw {
  std::mt19937_64 shared;
  long below(long limit) { return static_cast<long>(shared() % static_cast<std::uint64_t>(limit)); }
};

struct Allocation {
  comex_group_t group;
  std::vector<void*> parts;
  std::size_t bytes;
  long* mine() const {
    int rank = 0;
    comex_group_rank(group, &rank);
    return static_cast<long*>(parts[static_cast<std::size_t>(rank)]);
  }
};

Allocation allocate(comex_group_t group, std::size_t bytes) {
  int size = 0;
  comex_group_size(group, &size);
  Allocation made{group, std::vector<void*>(static_cast<std::size_t>(size)), bytes};
  done(comex_malloc(made.parts.data(), bytes, group), "malloc");
  std::fill_n(made.mine(), bytes / sizeof(long), 0);
  done(comex_barrier(group), "barrier");
  return made;
}

void release(const Allocation& allocation) {
  done(comex_free(allocation.mine(), allocation.group), "free");
}

// Each member adds 1 to every word of the next one's part, by each kind of operation.
void use(const Allocation& allocation) {
  int rank = 0;
  int size = 0;
  comex_group_rank(allocation.group, &rank);
  comex_group_size(allocation.group, &size);
  const int next = (rank + 1) % size;
  auto* const there = static_cast<long*>(allocation.parts[static_cast<std::size_t>(next)]);
  const std::size_t words = allocation.bytes / sizeof(long);
  const auto bytes = static_cast<int>(words * sizeof(long));
  std::vector<long> ones(words, 1);
  std::vector<long> back(words);
  long one = 1;
  done(comex_acc(COMEX_ACC_LNG, &one, ones.data(), there, bytes, next, allocation.group), "acc");
  done(comex_fence_proc(next, allocation.group), "fence");
  done(comex_get(there, back.data(), bytes, next, allocation.group), "get");
  require(back == ones, "an accumulate is not there");
  std::vector<comex_request_t> handles(words < 64 ? words : 64);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    back[i] = 2;
    done(comex_nbput(&back[i], there + i, sizeof(long), next, allocation.group, &handles[i]), "nbput");
  }
  for (comex_request_t& handle : handles) done(comex_wait(&handle), "wait");
  done(comex_fence_all(allocation.group), "fence_all");
  long before = 0;
  done(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &before, there, 1, next, allocation.group), "rmw");
  require(before == 2, "a put is not there");
  done(comex_barrier(allocation.group), "barrier");
  require(allocation.mine()[0] == 3, "a rmw is not there");
}

void use_group(comex_group_t group, Draw& draw) {
  const auto bytes = sizeof(long) * static_cast<std::size_t>(1 + draw.below(40000));
  if (group == COMEX_GROUP_NULL) return;
  const Allocation one = allocate(group, bytes);
  use(one);
  release(one);
}

void use_groups(Draw& draw) {
  std::vector<int> members(static_cast<std::size_t>(workers));
  std::iota(members.begin(), members.end(), 0);
  std::ranges::shuffle(members, draw.shared);
  members.resize(static_cast<std::size_t>(1 + draw.below(workers)));
  comex_group_t some = COMEX_GROUP_NULL;
  comex_group_t copy = COMEX_GROUP_NULL;
  comex_group_t half = COMEX_GROUP_NULL;
  if (std::ranges::find(members, me) != members.end()) {
    done(comex_group_create(static_cast<int>(members.size()), members.data(), everyone, &some),
         "group_create");
  }
  done(comex_group_dup(everyone, &copy), "group_dup");
  done(comex_group_split(copy, me % 2, -me, &half), "group_split");
  for (comex_group_t* group : {&some, &copy, &half}) {
    use_group(*group, draw);
    if (*group != COMEX_GROUP_NULL) done(comex_group_free(*group), "group_free");
  }
}

void use_memory(Draw& draw) {
  std::vector<Allocation> all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(allocate(everyone, sizeof(long) * static_cast<std::size_t>(1 + draw.below(1L << 18))));
  }
  std::vector<void*> own;
  for (int i = 0; i < 200; ++i) {
    own.push_back(comex_malloc_local(static_cast<std::size_t>(8 + draw.below(i % 50 == 0 ? 4 << 20 : 500))));
    require(own.back() != nullptr, "malloc_local");
  }
  for (const Allocation& each : all) use(each);
  std::ranges::shuffle(all, draw.shared);
  for (const Allocation& each : all) release(each);
  for (void* each : own) done(comex_free_local(each), "free_local");
}

void use_mutexes() {
  const Allocation counter = allocate(everyone, sizeof(long));
  done(comex_create_mutexes(2), "create_mutexes");
  for (int i = 0; i < 20; ++i) {
    done(comex_lock(1, 0), "lock");
    long count = 0;
    done(comex_get(counter.parts[0], &count, sizeof count, 0, everyone), "get");
    ++count;
    done(comex_put(&count, counter.parts[0], sizeof count, 0, everyone), "put");
    done(comex_fence_proc(0, everyone), "fence");
    done(comex_unlock(1, 0), "unlock");
  }
  done(comex_barrier(everyone), "barrier");
  require(me != 0 || counter.mine()[0] == 20L * workers, "a mutex let two in");
  done(comex_destroy_mutexes(), "destroy_mutexes");
  release(counter);
}

void use_signals() {
  const Allocation words = allocate(everyone, 2 * sizeof(long));
  const int next = (me + 1) % workers;
  auto* const there = static_cast<long*>(words.parts[static_cast<std::size_t>(next)]);
  long value = me;
  done(comex_put_signal(&value, there, sizeof value, there + 1, 1, next, everyone), "put_signal");
  done(comex_wait_until(words.mine() + 1, COMEX_CMP_EQ, 1), "wait_until");
  require(words.mine()[0] == (me + workers - 1) % workers, "a signal came before its data");
  release(words);
}

// Two ranks of each process, by a thread each.
void use_endpoints() {
  std::array<comex_group_t, 2> handles{};
  done(comex_group_create_endpoints(everyone, 2, handles.data()), "create_endpoints");
  const auto work = [](comex_group_t handle) {
    const Allocation one = allocate(handle, 1000 * sizeof(long));
    use(one);
    release(one);
    done(comex_group_free(handle), "group_free of an endpoint");
  };
  std::thread other(work, handles[1]);
  work(handles[0]);
  other.join();
}

// What classic programs do not know: atomics, other accumulates, signals that add, and fences of other kinds.
void use_other_operations() {
  const Allocation words = allocate(everyone, 4 * sizeof(long));
  auto* const first = static_cast<std::int64_t*>(words.parts[0]);
  const std::int64_t one = 1;
  const std::int64_t mine = me;
  comex_request_t handle = 0;
  done(
      comex_nbatomic(COMEX_ATOMIC_ADD, COMEX_TYPE_INT64, nullptr, &one, nullptr, first, 0, everyone, &handle),
      "nbatomic");
  done(comex_wait(&handle), "wait");
  done(comex_acc_op(COMEX_OP_MAX, COMEX_ACC_LNG, &mine, first + 1, sizeof mine, 0, everyone), "acc_op");
  done(comex_nbfence(0, everyone, &handle), "nbfence");
  done(comex_wait(&handle), "wait");
  done(comex_put_signal_add(nullptr, nullptr, 0, static_cast<long*>(words.parts[0]) + 2, 1, 0, everyone),
       "put_signal_add");
  if (me == 0) {
    done(comex_wait_until_all(words.mine() + 2, 1, nullptr, COMEX_CMP_EQ, workers), "wait_until_all");
    require(words.mine()[1] == workers - 1, "a maximum is not there");
  }
  done(comex_fence_allocation(words.mine(), everyone), "fence_allocation");
  done(comex_barrier(everyone), "barrier");
  require(me != 0 || words.mine()[0] == workers, "an atomic is not there");
  release(words);
}

// The even workers and the odd ones, first apart and then as one group.
void use_intergroup() {
  if (workers < 2) return;
  comex_group_t half = COMEX_GROUP_NULL;
  comex_group_t inter = COMEX_GROUP_NULL;
  comex_group_t merged = COMEX_GROUP_NULL;
  done(comex_group_split(everyone, me % 2, me, &half), "group_split");
  done(comex_intergroup_create(half, 0, everyone, 1 - me % 2, 3, &inter), "intergroup_create");
  done(comex_group_merge(inter, me % 2, &merged), "group_merge");
  const Allocation one = allocate(merged, 1000 * sizeof(long));
  use(one);
  release(one);
  for (comex_group_t group : {merged, inter, half}) done(comex_group_free(group), "group_free");
}

void use_kept_memory(Draw& draw) {
  Allocation kept{everyone, std::vector<void*>(static_cast<std::size_t>(workers)),
                  sizeof(long) * static_cast<std::size_t>(1 + draw.below(10000))};
  done(comex_malloc_kept(kept.parts.data(), kept.bytes, 1, everyone), "malloc_kept");
  std::fill_n(kept.mine(), kept.bytes / sizeof(long), 0);
  done(comex_keep(kept.mine()), "keep");
  done(comex_barrier(everyone), "barrier");
  use(kept);
  release(kept);
}

void start() {
  done(comex_init(), "init");
  comex_group_rank(everyone, &me);
  comex_group_size(everyone, &workers);
}

// Returns once it has been measured.
void be_quiet(const fs::path& folder, long round) {
  done(comex_barrier(everyone), "barrier");
  if (me == 0) {
    std::ofstream(folder / ("quiet." + std::to_string(round))) << "\n";
    const fs::path go = folder / ("go." + std::to_string(round));
    while (!fs::exists(go)) usleep(20'000);
  }
  done(comex_barrier(everyone), "barrier");
}

// Worker 0's clock decides for all.
bool is_over(std::chrono::steady_clock::time_point end) {
  MPI_Comm comm = MPI_COMM_NULL;
  comex_group_comm(everyone, &comm);
  int is_over = std::chrono::steady_clock::now() >= end ? 1 : 0;
  MPI_Bcast(&is_over, 1, MPI_INT, 0, comm);
  return is_over != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: soak FOLDER SECONDS HOSTS [SEED]\n");
    return 2;
  }
  const fs::path folder = argv[1];
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(argv[2]));
  const bool has_hosts = std::atol(argv[3]) > 1;
  Draw draw{std::mt19937_64(argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 1)};
  int provided = 0;
  MPI_Init_thread(&argc, &argv, comex_thread_level(), &provided);
  start();
  for (long round = 0; !is_over(end) || round < least_runtimes * rounds_a_runtime; ++round) {
    if (round % rounds_a_runtime == 0) {
      if (round != 0) done(comex_finalize(), "finalize"), start();
      be_quiet(folder, round / rounds_a_runtime);
    }
    use_memory(draw);
    use_groups(draw);
    use_mutexes();
    use_signals();
    use_endpoints();
    use_other_operations();
    use_intergroup();
    if (has_hosts) use_kept_memory(draw);
  }
  comex_finalize();
  MPI_Finalize();
  return 0;
}
