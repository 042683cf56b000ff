// Origins and a server in one process, over the loopback transport and an in-memory arena.
//
// Rank 0 serves one target's memory; the others are origins with a real Remote. One thread turns
// all of them by hand, so a run is the same each time.
#pragma once

#include <gtest/gtest.h>
#include <atomic>

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "op/remote/remote.h"
#include "pr/pusher.h"
#include "pr/server.h"
#include "support/loopback_parts.h"
#include "support/loopback_transport.h"
#include "support/memory_os.h"

namespace comex::whole {

using test::contiguous;
using test::pattern;

inline constexpr WorldId world = 3;
inline constexpr Worker target = 7;
inline constexpr shm::HostSlot target_slot = 1;
inline constexpr std::uint32_t chunk = 4096;
inline constexpr std::uint64_t push_delay_ns = 2000;
inline constexpr std::uint64_t region_bytes = 512 * 1024;
inline constexpr std::uint64_t mutexes = 4;
inline constexpr std::uint32_t outbox_buffers = 4;

// Of a put or a sum: nothing tells when a get is done.
inline bool append_write(op::Remote& origin, const Operation& operation, const op::RemoteTarget& far) {
  nb::Completion none;
  return operation.action != Action::get && origin.batches().append(operation, far, none);
}

struct RigOptions {
  TransportRank origins = 1;
  std::uint64_t pool_bytes = 16 * protocol::message_bytes;
  std::uint32_t slots = protocol::slot_count;
  std::uint32_t chunk_bytes = chunk;
  std::uint64_t staging_reserve = default_staging_reserve;
  std::size_t eager_limit_bytes = 1024;
  bool knows_eager_limit = false;
  std::uint64_t staging_bytes = 8 * chunk;
  std::uint64_t stall_ns = 0;
};

// Time passes where somebody sleeps, and a little with each look at it.
class SteppedOs final : public shm::MemoryOs {
 public:
  std::uint64_t now_ns() override { return ++now_; }
  void sleep_ns(std::uint64_t ns) override { now_ += ns; }

 private:
  std::atomic<std::uint64_t> now_{0};
};

class Rig {
 public:
  // The last rank is the origins' progress rank, which pushes what they leave.
  explicit Rig(const RigOptions& wanted = {})
      : arena(test::make_arena(os, world, 2)),
        fabric(wanted.origins + 2, wanted.eager_limit_bytes),
        pusher_rank(wanted.origins + 1) {
    pr::ServerOptions options;
    options.world = world;
    options.chunk_bytes = wanted.chunk_bytes;
    options.staging_reserve = wanted.staging_reserve;
    options.pool_bytes = wanted.pool_bytes;
    options.staging_bytes = wanted.staging_bytes;
    options.slot_of = [](Worker worker) { return worker == target ? target_slot : pr::no_host_slot; };
    options.report = [this](const pr::RefusedRequest&) { ++refused; };
    options.stall.after_ns = wanted.stall_ns;
    options.stall.on_long_wait = [this](const protocol::RequestHeader& lock,
                                        const std::optional<Worker>& holder, std::uint64_t) {
      lasting.push_back({lock.origin, holder});
    };
    server = std::make_unique<pr::Server>(fabric.endpoint(0), arena, options);
    region = allocate(region_bytes);
    const std::byte* const set = allocate(mutexes * sizeof(shm::FairMutexBlock));
    arena.mutexes_of(target_slot).show(arena.offset_of(set), mutexes);
    for (TransportRank rank = 1; rank <= wanted.origins; ++rank) {
      op::RemoteOptions origin;
      origin.self = static_cast<Worker>(100 + rank);
      origin.sizes = op::sizes_on_wire(wanted.chunk_bytes, fabric.size(), wanted.staging_reserve);
      if (wanted.knows_eager_limit) {
        origin.sizes.eager_bytes = static_cast<std::uint32_t>(wanted.eager_limit_bytes);
      }
      origin.slots = wanted.slots;
      outbox_places.push_back(std::make_unique<OutboxPlace>());
      origin.outbox = shm::Outbox(outbox_places.back()->bytes, outbox_buffers, std::nullopt, &os);
      origins.push_back(std::make_unique<op::Remote>(fabric.endpoint(rank), origin));
    }
    std::vector<shm::Outbox> outboxes;
    for (const auto& place : outbox_places) outboxes.emplace_back(place->bytes, outbox_buffers);
    pusher.emplace(fabric.endpoint(pusher_rank), os, outboxes, push_delay_ns, std::nullopt);
    far.world = world;
    far.server = 0;
    far.target = target;
    far.offset_base = reinterpret_cast<std::uintptr_t>(arena.base());
  }

  op::Remote& origin(std::size_t index = 0) { return *origins[index]; }

  void turn() {
    transport::Message message;
    for (int i = 0; i < 4 && fabric.endpoint(0).receive(message); ++i) server->on_message(message);
    server->advance();
    for (std::size_t i = 0; i < origins.size(); ++i) {
      while (fabric.endpoint(static_cast<TransportRank>(i + 1)).receive(message))
        origins[i]->on_message(message);
      if (sends_batches) origins[i]->batches().close_all();
      origins[i]->advance();
    }
  }
  // The server only: the origins compute.
  void serve() {
    transport::Message message;
    while (fabric.endpoint(0).receive(message)) server->on_message(message);
    server->advance();
  }
  // Two looks: what is just open at the first is sent at the second.
  unsigned push() {
    unsigned sent = 0;
    for (int looks = 0; looks < 2; ++looks) {
      os.sleep_ns(pusher->due_in() == shm::forever_ns ? 1 : pusher->due_in());
      sent += pusher->advance();
    }
    return sent;
  }
  template <class Done>
  [[nodiscard]] bool until(Done&& done, unsigned turns = 100000) {
    for (unsigned i = 0; i < turns; ++i) {
      if (done()) return true;
      turn();
    }
    return false;
  }
  void finish(nb::Completion& completion) {
    ASSERT_TRUE(until([&] { return completion.done(); }));
  }
  void fence(std::size_t index = 0) {
    nb::Completion done;
    origin(index).start_fence(0, done);
    finish(done);
    EXPECT_FALSE(origin(index).dirty(far.server));
  }
  // Nothing is left anywhere.
  void expect_quiet() {
    EXPECT_TRUE(until([&] {
      for (const auto& remote : origins)
        if (!remote->quiet()) return false;
      return server->quiet() && fabric.drained();
    }));
  }

  std::byte* allocate(std::uint64_t bytes, Worker owner = target) {
    return test::allocate_in(arena, owner, bytes);
  }

  struct alignas(64) OutboxPlace {
    std::byte bytes[shm::Outbox::bytes_for(outbox_buffers)] = {};
  };
  bool sends_batches = true;  // at each turn, as a process that waits
  std::vector<std::unique_ptr<OutboxPlace>> outbox_places;

  SteppedOs os;
  shm::Arena arena;
  transport::LoopbackFabric fabric;
  std::unique_ptr<pr::Server> server;
  TransportRank pusher_rank;
  std::vector<std::unique_ptr<op::Remote>> origins;
  std::optional<pr::Pusher> pusher;
  op::RemoteTarget far;
  std::byte* region = nullptr;
  unsigned refused = 0;
  std::vector<std::pair<Worker, std::optional<Worker>>> lasting;  // locks that lasted, and who held the mutex
};

template <class T>
Scale scale_of(T value) {
  Scale scale{};
  std::memcpy(scale.bytes, &value, sizeof value);
  return scale;
}

// `addend` is added to the far word; `old` gets what was there.
inline AtomicOperation add_to(std::int64_t* old, std::byte* far, std::int64_t addend) {
  AtomicOperation atomic;
  atomic.atomic = protocol::Atomic::fetch_add;
  atomic.near = reinterpret_cast<std::byte*>(old);
  atomic.far = far;
  atomic.operand = static_cast<std::uint64_t>(addend);
  return atomic;
}

inline Operation acc_of(std::int64_t* term, std::byte* far, std::int64_t scale = 1) {
  Operation acc = contiguous(Action::acc, term, far, sizeof *term);
  acc.scalar = Scalar::int64;
  acc.scale = scale_of(scale);
  return acc;
}

inline std::int64_t word_at(const Rig& rig, std::size_t index) {
  std::int64_t word = 0;
  std::memcpy(&word, rig.region + 8 * index, sizeof word);
  return word;
}

}  // namespace comex::whole
