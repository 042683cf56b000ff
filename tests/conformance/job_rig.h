// A whole job in one process: the runtime that init makes, over the loopback transport instead of MPI.
//
// Every rank has its world; workers have their Runtime, progress ranks serve on threads of their own. Worker
// 0 is the program: the C functions are its. The other workers only lend their memory, each on a host of its
// own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/opening/boards.h"
#include "runtime/opening/directory.h"
#include "runtime/opening/launch.h"
#include "runtime/process.h"
#include "shm/posix_os.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/map_lookup.h"
#include "worlds/joined_worlds.h"

namespace comex::whole {

// Waits until so many lines about long waits are in the file that takes stderr
// (testing::internal::CaptureStderr).
inline void await_lines_of_waits(std::size_t expected) {
  std::string said(std::size_t{1} << 16, '\0');
  for (int look = 0; look < 3000; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const ssize_t bytes = ::pread(STDERR_FILENO, said.data(), said.size(), 0);
    const std::string_view told(said.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = told.find("has been waiting", at)) != told.npos; ++at) ++lines;
    if (lines >= expected) return;
  }
}

// The same text, in which every wait has lasted for 1 s: on a full machine it may be more.
inline std::string with_waits_of_1_s(const std::string& said) {
  return std::regex_replace(said, std::regex("has been waiting for [0-9]+ s"), "has been waiting for 1 s");
}

class Job {
 public:
  Job(std::vector<int> host_of_rank, const test::Environment& environment)
      : fabric_(
            std::make_shared<transport::LoopbackFabric>(static_cast<TransportRank>(host_of_rank.size()))) {
    const Settings settings = parse_settings(test::lookup_in(environment)).value();
    const pr::WorldSplit split = pr::split_world(host_of_rank, settings).value();
    const std::vector<pr::RankPlace> places = split.places();
    for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank)
      worlds_.push_back(open(settings, split, places[rank], rank));
    for (auto& world : worlds_) describe(*world, split);
    for (const int rank : split.progress) {
      services_.emplace_back([this, rank] {
        runtime::serve(*worlds_[static_cast<std::size_t>(rank)], reporter_, worlds::joiner);
      });
    }
    for (const int rank : split.workers) {
      runtimes_.push_back(std::make_unique<runtime::Runtime>(
          std::move(worlds_[static_cast<std::size_t>(rank)]), reporter_, worlds::joiner));
    }
    runtime::detail::current_runtime.store(runtimes_.front().get());
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    std::vector<std::thread> leaving;
    for (auto& runtime : runtimes_) {
      const bool is_told = ends_with_failure_ && runtime == runtimes_.front();
      leaving.emplace_back([&runtime, is_told] { EXPECT_EQ(runtime->close(), !is_told); });
    }
    for (std::thread& thread : leaving) thread.join();
    for (std::thread& thread : services_) thread.join();
    runtime::detail::current_runtime.store(nullptr);
    EXPECT_TRUE(fabric_->drained() || leaves_looks_);
  }

  // Finalize has to tell worker 0 of a refusal.
  void expect_failure_at_the_end() { ends_with_failure_ = true; }
  // Progress ranks ask each other why a wait is long, and the job may end before the answer has come.
  void may_leave_looks() { leaves_looks_ = true; }

  runtime::Runtime& runtime(int worker) { return *runtimes_[static_cast<std::size_t>(worker)]; }
  int workers() const { return static_cast<int>(runtimes_.size()); }
  transport::LoopbackFabric& fabric() { return *fabric_; }
  // Who a message to a worker's memory goes to.
  TransportRank server_of(int worker) { return place(worker).server; }
  TransportRank rank_of(int worker) { return place(worker).rank; }

  shm::Arena& arena_of(int worker) { return *runtimes_[static_cast<std::size_t>(worker)]->world().arena; }

  // Zeros in a worker's memory.
  template <class T>
  T* allocate(int worker, std::size_t count) {
    return reinterpret_cast<T*>(
        test::allocate_in(arena_of(worker), static_cast<Worker>(worker), count * sizeof(T)));
  }
  std::uint64_t mutex_offset(int worker, std::uint64_t index) {
    std::uint64_t offset = 0;
    EXPECT_TRUE(arena_of(worker).mutexes_of(arena_of(worker).slot()).find(index, offset));
    return offset;
  }
  // As comex_create_mutexes leaves them, which all workers have to call.
  void create_mutexes(std::uint64_t of_each) {
    for (int worker = 0; worker < workers(); ++worker) {
      auto* const blocks = allocate<shm::FairMutexBlock>(worker, of_each);
      shm::Arena& arena = arena_of(worker);
      arena.mutexes_of(arena.slot()).show(arena.offset_of(blocks), of_each);
    }
    runtimes_.front()->set_has_mutexes(true);
  }

 private:
  bool ends_with_failure_ = false;
  bool leaves_looks_ = false;
  const groups::WorkerPlace& place(int worker) {
    return runtimes_.front()->place(static_cast<Worker>(worker));
  }

  std::unique_ptr<runtime::World> open(const Settings& settings, const pr::WorldSplit& split,
                                       const pr::RankPlace& place, std::size_t rank) {
    auto world = std::make_unique<runtime::World>(shm::make_posix_os(), settings);
    world->share = pr::share_of(split, static_cast<std::size_t>(place.host));
    world->place = place;
    world->has_threads = true;
    world->wait_policy.nap_max_ns = 100'000;
    shm::ArenaOptions options;
    options.geometry.slots = static_cast<std::uint32_t>(world->own_host().ranks.size());
    options.geometry.servers = static_cast<std::uint32_t>(world->own_host().progress_ranks.size());
    options.geometry.board_bytes = runtime::board_bytes(*world);
    options.geometry.activity_offset = runtime::board_layout_bytes;
    options.geometry.directory_bytes = runtime::directory_bytes(*world);
    options.geometry.reservation_bytes = 64 << 20;
    options.slot = static_cast<shm::HostSlot>(world->place.local_index);
    const auto first = static_cast<std::size_t>(world->own_host().ranks.front());
    world->arena.emplace((rank == first
                              ? shm::Arena::create(*world->os, options)
                              : shm::Arena::attach(*world->os, worlds_[first]->arena->ticket(), options.slot))
                             .value());
    EXPECT_TRUE(world->arena->map_anywhere());
    world->activity = runtime::begin_activity(*world, static_cast<TransportRank>(rank));
    world->transport = {fabric_, &fabric_->endpoint(static_cast<TransportRank>(rank))};
    world->doorbells.emplace(*world->arena, runtime::directory_of(*world));
    world->transport->set_observer(&*world->doorbells);
    return world;
  }
  void describe(runtime::World& world, const pr::WorldSplit& split) {
    const groups::Directory directory = runtime::directory_of(world);
    if (world.place.local_index == 0) {
      write_directory(directory, split, world.place.host);
    }
    world.description.size = world.share.workers;
    world.group.emplace(directory);
  }

  void write_directory(const groups::Directory& directory, const pr::WorldSplit& split, int own_host) {
    runtime::write_places(directory, split, own_host,
                          std::vector<runtime::HostRow>(split.hosts.size(), {{'h', 'o', 's', 't'}, 0}));
    // The workers are threads of one process, so each maps its host's memory at another address.
    for (groups::WorkerPlace& place : directory.places()) {
      const runtime::World& world = *worlds_[static_cast<std::size_t>(place.rank)];
      place.base = reinterpret_cast<std::uintptr_t>(world.arena->base());
    }
    std::ranges::fill(directory.node_ranks(), groups::unknown_rank);
  }

  std::shared_ptr<transport::LoopbackFabric> fabric_;
  runtime::Reporter& reporter_ = runtime::process().reporter;  // so that comex_set_errors speaks of this one
  std::vector<std::unique_ptr<runtime::World>> worlds_;        // by rank; a worker's is its runtime's
  std::vector<std::unique_ptr<runtime::Runtime>> runtimes_;
  std::vector<std::thread> services_;
};

}  // namespace comex::whole
