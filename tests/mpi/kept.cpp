// Memory with mirrors: whatever way bytes get into a part, its mirrors have them after the fence.
//
// Usage: kept routes     each route in turn, from every worker to every part. Then the workers of each host
//                        recover among themselves, so that the parts of the others come from the mirrors.
//        kept spare      a worker takes part in a recover that had no part before; everybody: most have not
//        kept late       a worker that is no member writes to a part, and fences while it is freed
//        kept anew       pages of a part, which had another use before, are found anew for networks
//        kept errors     calls that are refused, on all members alike
//        kept alone      the refusal where there are no progress ranks
#include <comex/worlds.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "mpi/kept_anew.h"
#include "mpi/kept_errors.h"

namespace {

using namespace comex::testing::kept;

// No meeting of the runtime, which would fence.
void meet() {
  MPI_Comm comm = MPI_COMM_NULL;
  succeed(comex_group_comm(everyone, &comm), "group_comm");
  MPI_Barrier(comm);
}

int hosts() {
  int last = -1;
  succeed(comex_host_of(workers - 1, everyone, &last), "host_of");
  return last + 1;
}

std::vector<double> numbers(std::size_t count, int seed) {
  std::vector<double> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<double>((i * 7919 + 31) % 997) + 1000.0 * seed;
  return made;
}

// Writes into a slice of `count` doubles at `to`, which nobody else writes to.
using Write = void (*)(double* to, std::size_t count, int proc, comex_group_t group);

void put_words(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 1);
  for (std::size_t i = 0; i < count; i += 37) succeed(comex_put(&data[i], to + i, 8, proc, group), "put");
}
void put_all(double* to, std::size_t count, int proc, comex_group_t group) {
  const std::vector<double> data = numbers(count, me + 2);
  succeed(comex_put_x(data.data(), to, count * 8, proc, group), "put_x");
}
void nbput_words(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 3);
  for (std::size_t i = 0; i < count; i += 5)
    succeed(comex_nbput(&data[i], to + i, 8, proc, group, nullptr), "nbput");
  succeed(comex_wait_all(group), "wait_all");
}
void put_rows(double* to, std::size_t count, int proc, comex_group_t group) {
  const std::vector<double> data = numbers(count, me + 4);
  const std::size_t counts[] = {3 * 8, count / 10};
  const std::ptrdiff_t far[] = {10 * 8};
  const std::ptrdiff_t near[] = {3 * 8};
  succeed(comex_puts_x(data.data(), near, to, far, counts, 1, proc, group), "puts_x");
}
void put_scattered(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 5);
  std::vector<void*> from;
  std::vector<void*> there;
  for (std::size_t i = 0; i + 2 <= count; i += 91) {
    from.push_back(&data[i]);
    there.push_back(to + i);
  }
  const comex_giov_x_t pairs{from.data(), there.data(), from.size(), 16};
  succeed(comex_putv_x(&pairs, 1, proc, group), "putv_x");
}
void acc_all(double* to, std::size_t count, int proc, comex_group_t group) {
  const std::vector<double> data = numbers(count, me + 6);
  const double scale = 0.5;
  succeed(comex_acc_x(COMEX_ACC_DBL, &scale, data.data(), to, count * 8, proc, group), "acc_x");
}
void nbacc_words(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 7);
  double scale = 2;
  for (std::size_t i = 0; i < count; i += 11)
    succeed(comex_nbacc(COMEX_ACC_DBL, &scale, &data[i], to + i, 8, proc, group, nullptr), "nbacc");
  succeed(comex_wait_all(group), "wait_all");
}
void acc_rows(double* to, std::size_t count, int proc, comex_group_t group) {
  const std::vector<double> data = numbers(count, me + 8);
  const double scale = 1;
  const std::size_t counts[] = {8, 2, count / 10};
  const std::ptrdiff_t far[] = {16, 10 * 8};
  const std::ptrdiff_t near[] = {8, 16};
  succeed(comex_accs_x(COMEX_ACC_DBL, &scale, data.data(), near, to, far, counts, 2, proc, group), "accs_x");
}
void acc_scattered(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 9);
  std::vector<void*> from;
  std::vector<void*> there;
  for (std::size_t i = 0; i < count; i += 203) {
    from.push_back(&data[i]);
    there.push_back(to + i);
  }
  const comex_giov_x_t pairs{from.data(), there.data(), from.size(), 8};
  succeed(comex_accv_op(COMEX_OP_MAX, COMEX_ACC_DBL, &pairs, 1, proc, group), "accv_op");
}
void replace(double* to, std::size_t count, int proc, comex_group_t group) {
  const std::vector<double> data = numbers(count, me + 10);
  succeed(comex_acc_op(COMEX_OP_REPLACE, COMEX_ACC_DBL, data.data(), to, count * 8, proc, group), "acc_op");
}
void add_to_words(double* to, std::size_t count, int proc, comex_group_t group) {
  for (std::size_t i = 0; i < count; i += 499) {
    long old = 0;
    succeed(comex_rmw(COMEX_FETCH_AND_ADD_LONG, &old, to + i, me + 1, proc, group), "rmw");
  }
}
void swap_words(double* to, std::size_t count, int proc, comex_group_t group) {
  const double mine = me + 0.25;
  for (std::size_t i = 0; i < count; i += 301) {
    succeed(comex_nbatomic(COMEX_ATOMIC_SET, COMEX_TYPE_DOUBLE, nullptr, &mine, nullptr, to + i, proc, group,
                           nullptr),
            "nbatomic");
  }
  succeed(comex_wait_all(group), "wait_all");
}
void put_with_signal(double* to, std::size_t count, int proc, comex_group_t group) {
  std::vector<double> data = numbers(count, me + 11);
  auto* const word = reinterpret_cast<long*>(to + count - 1);
  succeed(comex_put_signal(data.data(), to, 40, word, me, proc, group), "put_signal");
  succeed(comex_put_signal_add(data.data(), to + 2000, 400, word, 5, proc, group), "put_signal_add");
  succeed(comex_nbput_signal(data.data(), to + 1000, 8 * 900, word - 1, 7, proc, group, nullptr),
          "nbput_signal");
  succeed(comex_wait_all(group), "wait_all");
}
struct Route {
  const char* name;
  Write write;
  std::size_t count;  // doubles of a slice
};
constexpr Route routes[] = {
    {"put of words", put_words, 4000},
    {"a large put", put_all, 100'000},
    {"nbput of words", nbput_words, 4000},
    {"strided put", put_rows, 30'000},
    {"vector put", put_scattered, 30'000},
    {"a large acc", acc_all, 100'000},
    {"nbacc of words", nbacc_words, 4000},
    {"strided acc", acc_rows, 5000},
    {"vector acc", acc_scattered, 30'000},
    {"replacing acc", replace, 300},
    {"rmw", add_to_words, 4000},
    {"atomic", swap_words, 4000},
    {"put with signal", put_with_signal, 4000},
};

struct Kept {
  Kept(std::size_t part_count, comex_group_t group) : count(part_count) {
    parts.resize(static_cast<std::size_t>(workers));
    succeed(comex_malloc_kept(parts.data(), count * 8, hosts() - 1, group), "malloc_kept");
    std::memset(parts[static_cast<std::size_t>(me)], 0, count * 8);
    succeed(comex_keep(parts[static_cast<std::size_t>(me)]), "keep");
    meet();
  }
  double* at(int worker) const { return static_cast<double*>(parts[static_cast<std::size_t>(worker)]); }
  std::size_t count;
  std::vector<void*> parts;
};

// Each way to complete writes, of every worker to every other.
void complete(unsigned way, const Kept& kept, comex_group_t group) {
  for (int proc = 0; proc < workers && way % 5 < 2; ++proc) {
    comex_request_t handle{};
    if (way % 5 == 0) succeed(comex_fence_proc(proc, group), "fence_proc");
    if (way % 5 == 1) succeed(comex_nbfence(proc, group, &handle), "nbfence");
    if (way % 5 == 1) succeed(comex_wait(&handle), "wait");
  }
  if (way % 5 == 2) succeed(comex_fence_all(group), "fence_all");
  if (way % 5 == 3) succeed(comex_fence_allocation(kept.at(me), everyone), "fence_allocation");
  if (way % 5 == 4) succeed(comex_barrier(group), "barrier");
  meet();
}

std::vector<int> workers_of_host(int host) {
  std::vector<int> found;
  for (int worker = 0; worker < workers; ++worker) {
    int its = -1;
    succeed(comex_host_of(worker, everyone, &its), "host_of");
    if (its == host) found.push_back(worker);
  }
  return found;
}

// Recovers among the workers of this host and compares all parts with what they were.
void compare_mirrors(const Kept& kept, const char* name) {
  std::vector<std::vector<double>> before;
  for (int worker = 0; worker < workers; ++worker) {
    before.emplace_back(kept.count);
    succeed(comex_get_x(kept.at(worker), before.back().data(), kept.count * 8, worker, everyone), "get_x");
  }
  meet();
  int host = -1;
  succeed(comex_host_of(me, everyone, &host), "host_of");
  std::vector<int> near = workers_of_host(host);
  comex_group_t group = COMEX_GROUP_NULL;
  succeed(comex_group_create(static_cast<int>(near.size()), near.data(), everyone, &group), "group_create");
  std::vector<void*> parts(kept.parts.size());
  std::vector<int> homes(kept.parts.size());
  succeed(comex_recover(kept.at(me), group, parts.data(), homes.data()), "recover");
  std::vector<double> after(kept.count);
  int rank = -1;
  succeed(comex_group_rank(group, &rank), "group_rank");
  void* mine = nullptr;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (homes[part] == rank && mine == nullptr) mine = parts[part];
    succeed(comex_get_x(parts[part], after.data(), kept.count * 8, homes[part], group), "get_x");
    const auto [was, is] = std::ranges::mismatch(before[part], after);
    if (was != before[part].end()) {
      std::fprintf(stderr, "kept: %s: element %td of part %zu was %g and is %g in the mirror\n", name,
                   was - before[part].begin(), part, *was, *is);
    }
    require(was == before[part].end(), "a mirror has other data:", name);
  }
  require(homes[static_cast<std::size_t>(me)] == rank, "the own part stays at home:", name);
  succeed(comex_free(mine, group), "free");
  succeed(comex_group_free(group), "group_free");
}

bool is_near(int worker) {
  int mine = -1;
  int its = -1;
  succeed(comex_host_of(me, everyone, &mine), "host_of");
  succeed(comex_host_of(worker, everyone, &its), "host_of");
  return mine == its;
}

// Everybody writes to all parts, or to those of the own host or of the other ones alone, so that no fence
// does another one's work.
void write_by_all_routes() {
  comex_group_t copy = COMEX_GROUP_NULL;
  succeed(comex_group_dup(everyone, &copy), "group_dup");
  unsigned way = 0;
  for (unsigned to = 0; to < 3; ++to) {
    for (const Route& route : routes) {
      const comex_group_t group = way % 2 == 0 ? everyone : copy;
      const Kept kept(route.count * static_cast<std::size_t>(workers), everyone);
      for (int proc = 0; proc < workers; ++proc) {
        if ((to == 1 && !is_near(proc)) || (to == 2 && is_near(proc))) continue;
        route.write(kept.at(proc) + route.count * static_cast<std::size_t>(me), route.count, proc, group);
      }
      complete(way++, kept, group);
      compare_mirrors(kept, route.name);
    }
  }
  const Kept kept(10'000, everyone);
  std::ranges::copy(numbers(kept.count, me), kept.at(me));
  succeed(comex_keep(kept.at(me)), "keep");
  meet();
  compare_mirrors(kept, "plain stores");
}

// Two workers of two hosts have memory; then one of them and a worker that had none of it recover it.
void bring_in_a_spare() {
  const std::size_t count = 3000;
  std::vector<int> first{0, workers - 1};
  std::vector<int> second{1, 0};
  comex_group_t old_group = COMEX_GROUP_NULL;
  comex_group_t new_group = COMEX_GROUP_NULL;
  succeed(comex_group_create(2, first.data(), everyone, &old_group), "group_create");
  succeed(comex_group_create(2, second.data(), everyone, &new_group), "group_create");
  std::vector<void*> parts(2);
  std::vector<int> homes(2, -1);
  int rank = -1;
  if (old_group != COMEX_GROUP_NULL) {
    succeed(comex_group_rank(old_group, &rank), "group_rank");
    succeed(comex_malloc_kept(parts.data(), count * 8, 1, old_group), "malloc_kept");
    const std::vector<double> data = numbers(count, rank);
    std::ranges::copy(data, static_cast<double*>(parts[static_cast<std::size_t>(rank)]));
    succeed(comex_keep(parts[static_cast<std::size_t>(rank)]), "keep");
  }
  meet();
  if (new_group != COMEX_GROUP_NULL) {
    void* const mine = rank < 0 ? nullptr : parts[static_cast<std::size_t>(rank)];
    succeed(comex_recover(mine, new_group, parts.data(), homes.data()), "recover");
    require(homes == std::vector<int>{1, 0}, "the spare has the part that was lost");
    for (int part = 0; part < 2; ++part) {
      std::vector<double> data(count);
      succeed(comex_get_x(parts[static_cast<std::size_t>(part)], data.data(), count * 8,
                          homes[static_cast<std::size_t>(part)], new_group),
              "get_x");
      require(data == numbers(count, part), "its data");
    }
    succeed(comex_free(parts[me == 0 ? 0 : 1], new_group), "free");
  }
  meet();
}

// Two workers have memory, and then all workers recover it.
void bring_in_everybody() {
  const std::size_t count = 1000;
  std::vector<int> first{0, workers - 1};
  comex_group_t pair = COMEX_GROUP_NULL;
  succeed(comex_group_create(2, first.data(), everyone, &pair), "group_create");
  std::vector<void*> parts(2);
  std::vector<int> homes(2, -1);
  void* mine = nullptr;
  if (pair != COMEX_GROUP_NULL) {
    succeed(comex_malloc_kept(parts.data(), count * 8, 1, pair), "malloc_kept");
    mine = parts[me == 0 ? 0 : 1];
    std::ranges::copy(numbers(count, me == 0 ? 0 : 1), static_cast<double*>(mine));
    succeed(comex_keep(mine), "keep");
  }
  meet();
  succeed(comex_recover(mine, everyone, parts.data(), homes.data()), "recover over the world");
  require(homes == first, "nobody has lost a part");
  for (int part = 0; part < 2; ++part) {
    std::vector<double> data(count);
    void* const at = parts[part == 0 ? 0 : 1];
    succeed(comex_get_x(at, data.data(), count * 8, first[part == 0 ? 0 : 1], everyone), "get_x");
    require(data == numbers(count, part), "its data");
  }
  succeed(comex_free(mine == nullptr ? nullptr : parts[me == 0 ? 0 : 1], everyone), "free");
}

// Nothing orders the fence and the free: what it sends to the mirrors finds them, or is not sent. A progress
// rank would print a line about what finds no mirror.
void fence_late() {
  std::vector<int> ends{0, workers - 1};
  comex_group_t pair = COMEX_GROUP_NULL;
  succeed(comex_group_create(2, ends.data(), everyone, &pair), "group_create");
  MPI_Comm comm = MPI_COMM_NULL;
  succeed(comex_group_comm(everyone, &comm), "group_comm");
  for (int round = 0; round < 1000; ++round) {
    void* parts[2] = {};
    if (pair != COMEX_GROUP_NULL) succeed(comex_malloc_kept(parts, 64, 1, pair), "malloc_kept");
    MPI_Bcast(parts, sizeof parts, MPI_BYTE, 0, comm);
    double number = round;
    if (me == 1) succeed(comex_put(&number, parts[0], sizeof number, 0, everyone), "put");
    meet();
    for (int pause = 0; me == 1 && pause < round % 50; ++pause) sched_yield();
    if (me == 1) succeed(comex_fence_proc(0, everyone), "fence_proc");
    if (pair != COMEX_GROUP_NULL) succeed(comex_free(parts[me == 0 ? 0 : 1], pair), "free");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  succeed(comex_init(), "init");
  comex_group_rank(everyone, &me);
  comex_group_size(everyone, &workers);
  const std::map<std::string_view, void (*)()> checks{{"routes", write_by_all_routes},
                                                      {"spare", bring_in_a_spare},
                                                      {"everybody", bring_in_everybody},
                                                      {"late", fence_late},
                                                      {"anew", find_pages_anew},
                                                      {"errors", call_wrongly},
                                                      {"alone", call_without_progress_ranks}};
  const auto check = checks.find(argc > 1 ? argv[1] : "");
  require(check != checks.end(), "the name of a check");
  check->second();
  succeed(comex_finalize(), "finalize");
  if (me == 0) std::printf("kept: %s ok\n", argv[1]);
  MPI_Finalize();
}
