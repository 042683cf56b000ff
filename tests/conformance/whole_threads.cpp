// Origins and server on threads of their own, and several threads behind one origin.
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
  policy.yields = 20;
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
      const auto lock = engine_.enter_when([&] { return remote_.has_room(); }, {});
      start(remote_, done);
    }
    engine_.wait([&] { return done.done(); }, {});
  }
  void move(Action action, void* near, std::byte* far, std::uint64_t bytes, const op::FarSide& side) {
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
    caller.run([&](op::Remote& remote, nb::Completion& done) {
      remote.start_lock(rig.mutex_set, 0, rig.far, done);
    });
    caller.move(Action::get, &count, counter, 8, rig.far);
    ++count;
    caller.move(Action::put, &count, counter, 8, rig.far);
    caller.run([&](op::Remote& remote, nb::Completion& done) {
      remote.start_unlock(rig.mutex_set, 0, rig.far, done);
    });
  }
  caller.fence();
}

TEST(WholeThreads, origins_and_their_threads_work_side_by_side) {
  constexpr TransportRank origins = 3;
  Rig rig({.origins = origins});
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  std::vector<std::unique_ptr<op::Engine>> engines;
  for (TransportRank rank = 1; rank <= origins; ++rank) {
    op::EngineOptions options;
    options.wait = quick();
    engines.push_back(std::make_unique<op::Engine>(
        rig.fabric.endpoint(rank),
        op::Sinks{nullptr, &rig.origin(static_cast<std::size_t>(rank - 1)), nullptr}, *os, options));
  }
  std::atomic<bool> stop{false};
  std::thread service([&] {
    transport::Message message;
    while (!stop.load()) {
      while (rig.fabric.endpoint(0).receive(message)) rig.server->on_message(message);
      if (rig.server->advance() == 0) std::this_thread::yield();
    }
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t who = 0; who < engines.size(); ++who) {
    threads.emplace_back([&, who] {
      Caller caller(*engines[who], rig.origin(who));
      work(caller, rig, who, wrong);
    });
    // A second thread of the same origin, which reads what nobody writes.
    threads.emplace_back([&, who] {
      Caller caller(*engines[who], rig.origin(who));
      for (int i = 0; i < 50; ++i) {
        std::vector<std::byte> back(20000, std::byte{1});
        caller.move(Action::get, back.data(), rig.region + 400000, back.size(), rig.far);
        if (back != std::vector<std::byte>(20000)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  service.join();
  EXPECT_EQ(wrong.load(), 0);
  const auto* words = reinterpret_cast<const std::int64_t*>(rig.region);
  EXPECT_EQ(words[0], 20 * origins) << "counted under the mutex";
  EXPECT_EQ(words[1], 20 * origins) << "accumulated";
  EXPECT_EQ(rig.refused, 0u);
}

}  // namespace
}  // namespace comex::whole
