// Two worlds in one process over one loopback wire: one server for the memory of both, origins of either.
//
// Rank 0 serves world `low`, in whose arena it is at home, and world `high` as a guest; ranks 1 and 2 are a
// worker of each. Both have worker `target`, at different offsets. One thread turns all of them by hand.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "op/direct.h"
#include "op/engine.h"
#include "op/group_collective.h"
#include "op/remote/remote.h"
#include "pr/server.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/memory_os.h"

namespace comex::two_worlds {

using test::pattern;

inline constexpr std::array<WorldId, 2> ids = {3, 9};
inline constexpr Worker target = 7;
inline constexpr std::uint32_t chunk = 4096;
inline constexpr std::uint64_t region_bytes = 256 * 1024;

class Rig {
 public:
  Rig()
      : arenas{test::make_arena(os, ids[0], 2), test::make_arena(os, ids[1], 2)},
        guest(attach(arenas[1])),
        fabric(3, 1024) {
    pr::ServerOptions options;
    options.world = ids[0];
    options.chunk_bytes = chunk;
    options.slot_of = [](Worker) { return shm::HostSlot{0}; };
    options.report = [this](const pr::RefusedRequest& request) { refused.push_back(request); };
    server = std::make_unique<pr::Server>(fabric.endpoint(0), arenas[0], options);
    server->add_world(ids[1], guest, [](Worker) { return shm::HostSlot{1}; });
    // The second world's region lies elsewhere, so that what goes to the wrong one is seen.
    static_cast<void>(test::allocate_in(arenas[1], target + 1, 64 * 1024));
    for (std::size_t world = 0; world < 2; ++world) {
      regions[world] = test::allocate_in(arenas[world], target, region_bytes);
      op::RemoteOptions origin;
      origin.self = static_cast<Worker>(world);
      origin.sizes.chunk_bytes = chunk;
      origins.push_back(
          std::make_unique<op::Remote>(fabric.endpoint(static_cast<TransportRank>(world + 1)), origin));
    }
  }

  op::RemoteTarget far(std::size_t world) const {
    return {ids[world], 0, target, reinterpret_cast<std::uintptr_t>(arenas[world].base())};
  }
  void turn() {
    transport::Message message;
    for (int i = 0; i < 4 && fabric.endpoint(0).receive(message); ++i) server->on_message(message);
    server->advance();
    for (std::size_t i = 0; i < origins.size(); ++i) {
      transport::Transport& end = fabric.endpoint(static_cast<TransportRank>(i + 1));
      while (end.receive(message)) origins[i]->on_message(message);
      origins[i]->advance();
    }
  }
  template <class Done>
  [[nodiscard]] bool until(Done&& done, unsigned turns = 100000) {
    for (unsigned i = 0; i < turns && !done(); ++i) turn();
    return done();
  }
  // Starts something at an origin and waits for its end.
  template <class Start>
  void finish(Start&& start) {
    nb::Completion done;
    start(done);
    ASSERT_TRUE(until([&] { return done.done(); }));
  }
  void fence(std::size_t origin) {
    finish([&](nb::Completion& done) { origins[origin]->start_fence_all(done); });
  }

  shm::MemoryOs os;
  std::array<shm::Arena, 2> arenas;
  shm::Arena guest;  // the second one as the server sees it
  transport::LoopbackFabric fabric;
  std::unique_ptr<pr::Server> server;
  std::vector<std::unique_ptr<op::Remote>> origins;  // of either world
  std::array<std::byte*, 2> regions{};
  std::vector<pr::RefusedRequest> refused;

 private:
  shm::Arena attach(const shm::Arena& arena) {
    Result<shm::Arena> made = shm::Arena::attach_guest(os, arena.ticket());
    EXPECT_TRUE(static_cast<bool>(made));
    return std::move(made).value();
  }
};

inline Operation contiguous(Action action, void* near, std::byte* far, std::uint64_t bytes) {
  Operation operation = test::contiguous(action, near, far, bytes);
  operation.target = target;
  return operation;
}

}  // namespace comex::two_worlds
