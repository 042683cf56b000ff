// Two worlds and a bridge: every operation both ways, order and fences, allocation and collectives on merged
// groups and inter-groups, and nothing left behind by many rounds. Arguments: how many ranks the first world
// has, what to do (operations, order, litmus, rounds, few_rounds, stuck), by which ways operations must go
// (direct, remote, helped, any: what is mixed), and "threads".
#include <dirent.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <string_view>
#include <thread>

#include "bridge/named.h"
#include "bridge/operations.h"
#include "mpi/litmus.h"
#include "support/seed.h"
#include "worlds/joined_worlds.h"

namespace comex::testing {
namespace {

constexpr long litmus_rounds = 800;

void operate(const Halves& halves, const Scene& scene) {
  contiguous_all(scene);
  strided_all(scene);
  vector_all(scene);
  atomics_all(scene);
  halves.require(comex_barrier(scene.group) == COMEX_SUCCESS, "barrier");
}

// The ways that the test was set up for are those that are taken.
void expect_ways(const Halves& halves, BridgeId id, std::string_view ways) {
  const worlds::Bridge& bridge = *worlds::joined_worlds(halves.runtime()).bridges.find(id);
  const worlds::BridgeMap& wire = bridge.point->wire;
  bool is_helped = false;
  for (const TransportRank worker : wire.workers()) {
    const TransportRank server = bridge.point->servers[static_cast<std::size_t>(worker)];
    is_helped = is_helped || wire.row(server).world != wire.row(worker).world;
  }
  halves.require(is_helped == (ways == "helped"), "a worker is served by the other world, or none is");
  std::size_t direct = 0;
  for (const Lpid lpid : halves.foreign) {
    runtime::Reach there;
    halves.require(halves.runtime().reach(lpid, there), "a way to each");
    direct += halves.runtime().is_direct(activity::Kind::put, there) ? 1u : 0u;
  }
  if (ways == "direct") halves.require(direct == halves.foreign.size(), "all memory is in the address space");
  if (ways == "remote") halves.require(direct == 0, "all goes by messages");
}

// The other side is lost: the thread that waits learns of it, and closing waits for nobody.
void lose(Halves& halves) {
  halves.lost_round([&](BridgeId bridge, worlds::FramedSocket& dying) {
    const comex_group_t merged = halves.everybody(bridge);
    comex_set_errors(COMEX_ERRORS_RETURN);
    dying.close();
    halves.require(worlds::joined_worlds(halves.runtime()).bridges.why_lost(bridge).empty(),
                   "a link does nothing by itself");
    // The others are alive here: the barrier would succeed if it began before this rank looks at its links.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    halves.require(comex_barrier(merged) == COMEX_FAILURE, "a barrier with who is lost");
    halves.require(!worlds::joined_worlds(halves.runtime()).bridges.why_lost(bridge).empty(),
                   "the loss is known");
    comex_set_errors(COMEX_ERRORS_ABORT);
    halves.remove(merged);
  });
}

void operations(Halves& halves, std::string_view ways) {
  halves.round([&](BridgeId bridge) {
    expect_ways(halves, bridge, ways);
    const comex_group_t merged = halves.everybody(bridge);
    int me = -1;
    int size = 0;
    comex_group_rank(merged, &me);
    comex_group_size(merged, &size);
    operate(halves, {halves, merged, size, size, size, me});
    halves.remove(merged);

    const comex_group_t inter = halves.inter(bridge);
    const int near = static_cast<int>(halves.own.size());
    const int far = static_cast<int>(halves.foreign.size());
    // The other side acts on this one's memory at the same time.
    operate(halves, {halves, inter, near, far, std::max(near, far), static_cast<int>(halves.runtime().me())});
    halves.remove(inter);
  });
}

// The classic hand-over in a ring through both worlds: data, then a signal; who saw the signal sees the data.
void hand_over(const Halves& halves, comex_group_t group, int me, int size) {
  constexpr std::size_t count = 6000;
  const Shared memory(halves, group, 64 + count * 8, static_cast<std::size_t>(size));
  char* const mine = static_cast<char*>(memory.at[static_cast<std::size_t>(me)]);
  std::memset(mine, 0, 64 + count * 8);
  comex_barrier(group);
  const int next = (me + 1) % size;
  char* const there = static_cast<char*>(memory.at[static_cast<std::size_t>(next)]);
  std::vector<double> data(count);
  for (long turn = 1; turn <= 30; ++turn) {
    if (me != 0) comex_wait_until(reinterpret_cast<long*>(mine), COMEX_CMP_GE, turn);
    if (me != 0) {
      std::memcpy(data.data(), mine + 64, count * 8);
      for (const double each : data) halves.require(each == static_cast<double>(turn), "the data is there");
    }
    std::fill(data.begin(), data.end(), static_cast<double>(turn));
    comex_put_signal(data.data(), there + 64, count * 8, reinterpret_cast<long*>(there), turn, next, group);
    if (me == 0) comex_wait_until(reinterpret_cast<long*>(mine), COMEX_CMP_GE, turn);
  }
  comex_barrier(group);
}

// Many small and large writes without a wait; after a fence a third party sees them.
void fence_then_tell(const Halves& halves, comex_group_t group, int me, int size) {
  constexpr std::size_t words = 5000;
  const Shared memory(halves, group, words * 8, static_cast<std::size_t>(size));
  const int target = (me + size / 2) % size;
  long* const there = static_cast<long*>(memory.at[static_cast<std::size_t>(target)]);
  std::vector<long> values(words);
  for (long turn = 1; turn <= 10; ++turn) {
    for (std::size_t i = 0; i < words; ++i) values[i] = turn * 100'000 + me * 10'000 + static_cast<long>(i);
    comex_nbput(values.data(), there, 16, target, group, nullptr);
    comex_nbput(values.data() + 2, there + 2, (words - 3) * 8, target, group, nullptr);
    comex_nbput(values.data() + words - 1, there + words - 1, 8, target, group, nullptr);
    comex_fence_proc(target, group);
    comex_barrier(group);
    const int before = (me + size - 1) % size;
    const int seen_at = (before + size / 2) % size;
    std::vector<long> seen(words);
    comex_get(memory.at[static_cast<std::size_t>(seen_at)], seen.data(), words * 8, seen_at, group);
    for (std::size_t i = 0; i < words; ++i) {
      halves.require(seen[i] == turn * 100'000 + before * 10'000 + static_cast<long>(i),
                     "a fenced write is seen");
    }
    comex_barrier(group);
  }
}

// A round with work(merged, me, size) on the group of all workers of both worlds.
template <class Work>
void merged_round(Halves& halves, Work&& work) {
  halves.round([&](BridgeId bridge) {
    const comex_group_t merged = halves.everybody(bridge);
    int me = -1;
    int size = 0;
    comex_group_rank(merged, &me);
    comex_group_size(merged, &size);
    work(merged, me, size);
    halves.remove(merged);
  });
}

void order(Halves& halves) {
  merged_round(halves, [&](comex_group_t merged, int me, int size) {
    if (size == 1) return;
    hand_over(halves, merged, me, size);
    fence_then_tell(halves, merged, me, size);
  });
}

// Litmus programs whose workers are of both worlds.
void litmus(Halves& halves, unsigned long seed, long rounds) {
  merged_round(halves, [&](comex_group_t merged, int me, int size) {
    const auto workers = static_cast<std::size_t>(size);
    const Shared memory(halves, merged, Litmus::memory_bytes(rounds), workers);
    const Shared results(halves, merged, Litmus::result_bytes(size, rounds), workers);
    const auto fail = [&halves](const std::string& what) { halves.require(false, what.c_str()); };
    LitmusPlace place{merged, me, size, halves.workers, memory.at, results.at, false, fail};
    Litmus(std::move(place), seed, rounds).run_all([](const char*, const auto& body) { body(); });
  });
}

// One side leaves first, its progress ranks too: the other works on over the bridge, and leaves without them.
void leave_one_by_one(Halves& halves) {
  halves.round_that_ends(Halves::Ends::alone, [&](BridgeId bridge) {
    runtime::Runtime& runtime = halves.runtime();
    const comex_group_t merged = halves.everybody(bridge);
    const comex_group_t part = halves.own_part(bridge);
    comex_barrier(merged);
    halves.remove(merged);
    if (halves.side == 0) {
      halves.remove(part);
      halves.require(worlds::end_bridge(runtime, bridge, protocol::Leaving::alone), "leaving first");
      halves.require(worlds::joined_worlds(runtime).bridges.ids().empty(), "who has left stays for nobody");
    }
    halves.await_first_side([&] { runtime.engine().poll(); });
    if (halves.side == 0) return;
    halves.require(comex_barrier(part) == COMEX_SUCCESS, "those who are still there work together");
    halves.remove(part);
    halves.require(worlds::end_bridge(runtime, bridge, protocol::Leaving::alone), "leaving last");
  });
}

// All endpoints at once, each through its handle; the worlds know nothing of each other afterwards.
void part_by_endpoints(Halves& halves) {
  halves.round_that_ends(Halves::Ends::together, [&](BridgeId bridge) {
    comex_group_t merged = halves.everybody(bridge);
    std::array<comex_group_t, 2> ends{};
    comex_group_create_endpoints(merged, static_cast<int>(ends.size()), ends.data());
    halves.require(comex_world_disconnect(&merged) == COMEX_SUCCESS, "a group that is not the last");
    halves.require(!worlds::joined_worlds(halves.runtime()).bridges.ids().empty(),
                   "endpoints keep the bridge");
    std::vector<std::thread> threads;
    for (comex_group_t& each : ends) threads.emplace_back([&each] { comex_world_disconnect(&each); });
    for (std::thread& each : threads) each.join();
  });
}

// One process never gets through the opening: no other hears of its end, and all end at the limit.
void get_stuck(const Halves& halves) {
  halves.meet_with_a_stuck_one(1);
}

std::size_t entries_of(const char* directory) {
  std::size_t entries = 0;
  DIR* const open = opendir(directory);
  while (readdir(open) != nullptr) ++entries;
  closedir(open);
  return entries;
}

// Of shared memory only: the heap is MPI's as well.
std::size_t shared_mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);) {
    const bool is_ours = line.find("memfd:") != std::string::npos ||
                         line.find("/comex (") != std::string::npos ||
                         line.find("/dev/shm/comex") != std::string::npos;
    found += is_ours ? 1u : 0u;
  }
  return found;
}

struct Holdings {
  std::size_t descriptors = 0;
  std::size_t mappings = 0;
  std::size_t extents = 0;
};

Holdings holdings(const Halves& halves) {
  Holdings now{entries_of("/proc/self/fd"), shared_mappings(), 0};
  if (halves.is_worker()) now.extents = halves.runtime().world().arena->extents().live().size();
  return now;
}

void rounds(Halves& halves, int wanted) {
  Holdings first;
  for (int round = 0; round < wanted; ++round) {
    merged_round(halves, [&](comex_group_t merged, int me, int size) {
      const Shared memory(halves, merged, 8, static_cast<std::size_t>(size));
      const int target = (me + size / 2) % size;
      long value = round;
      comex_put(&value, memory.at[static_cast<std::size_t>(target)], 8, target, merged);
      comex_barrier(merged);
      const long found = *static_cast<long*>(memory.at[static_cast<std::size_t>(me)]);
      halves.require(found == round, "the value of this round");
    });
    MPI_Barrier(MPI_COMM_WORLD);  // the other ranks of a host count too
    if (round == 4) first = holdings(halves);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const Holdings last = holdings(halves);
  MPI_Barrier(MPI_COMM_WORLD);
  halves.require(last.descriptors == first.descriptors, "no descriptor is left");
  halves.require(last.mappings == first.mappings, "no mapping is left");
  halves.require(last.extents == first.extents, "no extent is left");
}

}  // namespace
}  // namespace comex::testing

int main(int argc, char** argv) {
  using namespace comex::testing;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const bool wants_threads = std::ranges::count(arguments, "threads") != 0;
  Halves halves(std::stoi(argv[1]), wants_threads);
  halves.has_guests = std::ranges::count(arguments, "helped") != 0;
  const std::string_view what = arguments[1];
  if (what == "operations") {
    lose(halves);
    operations(halves, arguments[2]);
    name_targets(halves);
  }
  if (what == "order") {
    order(halves);
    leave_one_by_one(halves);
    if (wants_threads) part_by_endpoints(halves);
  }
  if (what == "litmus") {
    unsigned long seed = chosen_seed(0, argv);
    MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
    litmus(halves, seed, litmus_rounds);
  }
  if (what == "rounds") rounds(halves, 200);
  if (what == "few_rounds") rounds(halves, 40);
  if (what == "stuck") get_stuck(halves);
  if (halves.is_worker() && halves.rank == 0) std::printf("bridge %s ok\n", argv[2]);
  return 0;
}
