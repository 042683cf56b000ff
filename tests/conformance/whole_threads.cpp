// Origins and server on threads of their own, and several threads behind one origin.
#include <array>
#include <atomic>
#include <thread>

#include "conformance/whole_rig.h"
#include "op/engine.h"
#include "shm/posix_os.h"

namespace comex::whole {
namespace {

shm::WaitPolicy quick() {
  shm::WaitPolicy policy;
  policy.spin_ns = 1000;
  policy.nap_max_ns = 100'000;
  return policy;
}

// Blocking calls as an API makes them.
class Caller {
 public:
  Caller(op::Engine& engine, op::Remote& remote) : engine_(engine), remote_(remote) {}

  template <class Start>
  void run(Start&& start) {
    nb::Completion done;
    {
      const auto lock = engine_.enter_when([&] { return remote_.has_capacity(); }, {});
      start(remote_, done);
    }
    engine_.wait([&] { return done.done(); }, {});
  }
  void move(Action action, void* near, std::byte* far, std::uint64_t bytes, const op::RemoteTarget& side) {
    run([&](op::Remote& remote, nb::Completion& done) {
      Operation operation = contiguous(action, near, far, bytes);
      if (action == Action::acc) {
        operation.scalar = Scalar::int64;
        operation.scale = scale_of(std::int64_t{1});
      }
      remote.start(operation, side, done);
    });
  }
  void fence() {
    run([](op::Remote& remote, nb::Completion& done) { remote.start_fence(0, done); });
  }

 private:
  op::Engine& engine_;
  op::Remote& remote_;
};

// What one caller does: its own part of the region, a shared sum, and a counter under a mutex.
void work(Caller& caller, Rig& rig, std::size_t who, std::atomic<int>& wrong) {
  std::byte* const mine = rig.region + 1024 + 30000 * who;
  std::byte* const counter = rig.region;
  std::byte* const sum = rig.region + 8;
  for (unsigned round = 0; round < 20; ++round) {
    std::vector<std::byte> source = pattern(round % 2 == 0 ? 100 : 30000, round), back(source.size());
    caller.move(Action::put, source.data(), mine, source.size(), rig.far);
    caller.move(Action::get, back.data(), mine, back.size(), rig.far);
    if (back != source) ++wrong;

    std::int64_t one = 1;
    caller.move(Action::acc, &one, sum, 8, rig.far);
    std::int64_t count = 0;
    caller.run([&](op::Remote& remote, nb::Completion& done) { remote.start_lock(0, rig.far, done); });
    caller.move(Action::get, &count, counter, 8, rig.far);
    ++count;
    caller.move(Action::put, &count, counter, 8, rig.far);
    caller.run([&](op::Remote& remote, nb::Completion& done) { remote.start_release(0, rig.far, done); });
  }
  caller.fence();
}

// An engine for every origin, and the server on a thread of its own until stop.
struct Bench {
  Bench(Rig& rig, shm::Os& os, TransportRank origins) {
    for (TransportRank rank = 1; rank <= origins; ++rank) {
      op::EngineOptions options;
      options.wait = quick();
      engines.push_back(std::make_unique<op::Engine>(
          rig.fabric.endpoint(rank),
          op::Sinks{nullptr, &rig.origin(static_cast<std::size_t>(rank - 1)), nullptr}, os, options));
    }
    service = std::thread([this, &rig] {
      transport::Message message;
      while (!ends.load()) {
        while (rig.fabric.endpoint(0).receive(message)) rig.server->on_message(message);
        if (rig.server->advance() == 0) std::this_thread::yield();
      }
    });
  }
  void stop() {
    ends = true;
    service.join();
  }

  std::vector<std::unique_ptr<op::Engine>> engines;
  std::atomic<bool> ends{false};
  std::thread service;
};

TEST(WholeThreads, origins_and_their_threads_work_side_by_side) {
  constexpr TransportRank origins = 3;
  Rig rig({.origins = origins});
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  Bench bench(rig, *os, origins);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < bench.engines.size(); ++who) {
    threads.emplace_back([&, who] {
      Caller caller(*bench.engines[who], rig.origin(who));
      work(caller, rig, who, wrong);
    });
    // A second thread of the same origin, which reads what nobody writes.
    threads.emplace_back([&, who] {
      Caller caller(*bench.engines[who], rig.origin(who));
      for (int i = 0; i < 50; ++i) {
        std::vector<std::byte> back(20000, std::byte{1});
        caller.move(Action::get, back.data(), rig.region + 400000, back.size(), rig.far);
        if (back != std::vector<std::byte>(20000)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  bench.stop();
  EXPECT_EQ(wrong.load(), 0);
  const auto* words = reinterpret_cast<const std::int64_t*>(rig.region);
  EXPECT_EQ(words[0], 20 * origins) << "counted under the mutex";
  EXPECT_EQ(words[1], 20 * origins) << "accumulated";
  EXPECT_EQ(rig.refused, 0u);
}

// One of an origin's threads, with a target of its own and one that all share: puts and gets left under way,
// accumulates, fetch-and-adds and blocking calls, all mixed.
void mix(op::Engine& engine, op::Remote& remote, Rig& rig, std::size_t who, std::atomic<int>& wrong) {
  constexpr std::uint64_t bytes = 3000;
  Caller caller(engine, remote);
  op::RemoteTarget own = rig.far;
  own.target = static_cast<Worker>(20 + who);
  std::byte* const mine = rig.allocate(4 * bytes, own.target);
  const auto add = [&](std::int64_t& old, nb::Completion& done) {
    AtomicOperation operation;
    operation.atomic = protocol::Atomic::fetch_add;
    operation.near = reinterpret_cast<std::byte*>(&old);
    operation.far = rig.region + 8;
    operation.operand = 1;
    remote.start_atomic(operation, rig.far, done);
  };
  for (unsigned round = 0; round < 10; ++round) {
    const std::vector<std::byte> source = pattern(4 * bytes, round + static_cast<unsigned>(who));
    std::vector<std::byte> back(4 * bytes);
    std::array<nb::Completion, 4> puts, gets;
    std::int64_t one = 1, old = -1;
    nb::Completion added;
    for (std::size_t i = 0; i < puts.size(); ++i) {
      const auto lock = engine.enter_when([&] { return remote.has_capacity(); }, {});
      remote.start(
          contiguous(Action::put, const_cast<std::byte*>(source.data()) + i * bytes, mine + i * bytes, bytes),
          own, puts[i]);
    }
    caller.move(Action::acc, &one, rig.region, 8, rig.far);
    {
      const auto lock = engine.enter_when([&] { return remote.has_capacity(); }, {});
      add(old, added);
    }
    for (std::size_t i = 0; i < gets.size(); ++i) {
      const auto lock = engine.enter_when([&] { return remote.has_capacity(); }, {});
      remote.start(contiguous(Action::get, back.data() + i * bytes, mine + i * bytes, bytes), own, gets[i]);
    }
    for (std::size_t i = puts.size(); i-- > 0;) {
      engine.wait([&] { return gets[i].done() && puts[i].done(); }, {});
    }
    engine.wait([&] { return added.done(); }, {});
    if (back != source || old < 0) ++wrong;
  }
  caller.fence();
}

TEST(WholeThreads, four_threads_of_an_origin_mix_all_operations_on_shared_and_separate_targets) {
  constexpr TransportRank origins = 2;
  constexpr std::size_t threads_each = 4;
  Rig rig({.origins = origins});
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  Bench bench(rig, *os, origins);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < origins * threads_each; ++who) {
    threads.emplace_back([&, who] {
      const std::size_t origin = who / threads_each;
      mix(*bench.engines[origin], rig.origin(origin), rig, who, wrong);
    });
  }
  for (std::thread& thread : threads) thread.join();
  bench.stop();
  EXPECT_EQ(wrong.load(), 0);
  const auto* words = reinterpret_cast<const std::int64_t*>(rig.region);
  EXPECT_EQ(words[0], 10 * origins * threads_each) << "accumulated";
  EXPECT_EQ(words[1], 10 * origins * threads_each) << "fetched and added";
  EXPECT_EQ(rig.refused, 0u);
}

}  // namespace
}  // namespace comex::whole
