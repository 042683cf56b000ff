// The pump, its waits, and the control messages that it hands on.
#include "op/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "op/control_messages.h"
#include "op/progress_thread.h"
#include "shm/posix_os.h"
#include "support/loopback_transport.h"

namespace comex::op {
namespace {

shm::WaitPolicy quick() {
  shm::WaitPolicy policy;
  policy.spin_ns = 1000;
  policy.nap_max_ns = 100'000;
  return policy;
}

class CountingSink final : public transport::Sink {
 public:
  void on_message(const transport::Message& message) override {
    verbs.push_back(static_cast<protocol::Verb>(message.data[0]));
  }
  unsigned advance() override {
    ++advances;
    return 0;
  }
  std::vector<protocol::Verb> verbs;
  unsigned advances = 0;
};

void post(transport::Transport& from, TransportRank to, protocol::Verb verb) {
  std::byte* const message = from.stage();
  std::memset(message, 0, sizeof(protocol::RequestHeader));
  message[0] = static_cast<std::byte>(verb);
  from.post(to, sizeof(protocol::RequestHeader));
}

TEST(Engine, hands_each_message_to_the_sink_of_its_verb) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink server, origin, control;
  Engine engine(fabric.endpoint(0), {&server, &origin, &control}, *os, {});
  for (const auto verb :
       {protocol::Verb::put, protocol::Verb::done, protocol::Verb::control, protocol::Verb::leave})
    post(fabric.endpoint(1), 0, verb);
  EXPECT_EQ(engine.poll(), 4u);
  EXPECT_EQ(server.verbs, (std::vector{protocol::Verb::put, protocol::Verb::leave}));
  EXPECT_EQ(origin.verbs, std::vector{protocol::Verb::done});
  EXPECT_EQ(control.verbs, std::vector{protocol::Verb::control});
  EXPECT_EQ(server.advances, 1u);
}

TEST(Engine, does_not_poll_while_another_thread_is_at_it) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  for (const bool has_threads : {true, false}) {
    CountingSink sink;
    Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, {.has_threads = has_threads});
    {
      const Engine::Lock held = engine.enter();
      std::thread other([&] { EXPECT_EQ(engine.poll(), 0u); });
      other.join();
      EXPECT_EQ(sink.advances, 0u);
    }
    engine.poll();
    EXPECT_EQ(sink.advances, 3u);
  }
}

TEST(EngineMutex, lets_one_in_at_a_time) {
  for (const bool has_threads : {true, false}) {
    EngineMutex mutex(has_threads);
    int inside = 0;
    const auto enter_often = [&] {
      for (int i = 0; i < 20'000; ++i) {
        const std::lock_guard lock(mutex);
        ++inside;
      }
    };
    std::thread one(enter_often);
    std::thread other(enter_often);
    one.join();
    other.join();
    EXPECT_EQ(inside, 40'000);
  }
}

TEST(Engine, a_wait_pumps_until_its_condition_holds_and_keeps_the_lock) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, {.wait = quick()});
  std::thread sender([&] {
    for (int i = 0; i < 3; ++i) post(fabric.endpoint(1), 0, protocol::Verb::control);
  });
  {
    const Engine::Lock lock = engine.enter_when([&] { return sink.verbs.size() == 3; }, {});
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_EQ(sink.verbs.size(), 3u);
  }
  sender.join();
  EXPECT_TRUE(engine.enter().owns_lock());
}

TEST(Engine, a_wait_looks_for_no_more_messages_once_it_has_what_it_takes) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink origin;
  Engine engine(fabric.endpoint(0), {nullptr, &origin, nullptr}, *os, {.wait = quick()});
  for (const auto verb : {protocol::Verb::data, protocol::Verb::done, protocol::Verb::data}) {
    post(fabric.endpoint(1), 0, verb);
  }
  unsigned taken = 0;
  engine.wait(
      [&] {  // true once, as of one who takes a message
        if (taken != 0 || origin.verbs.size() < 2) return false;
        return ++taken == 1;
      },
      {"a reply"});
  EXPECT_EQ(origin.verbs, (std::vector{protocol::Verb::data, protocol::Verb::done}));
  EXPECT_EQ(taken, 1u);
  engine.poll();
  EXPECT_EQ(origin.verbs.size(), 3u);
}

TEST(Engine, tells_once_what_a_stalled_wait_waits_for) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  std::vector<WaitReason> told;
  EngineOptions options{.wait = quick()};
  options.stall.stall_ns = 1'000'000;
  options.stall.on_stall = [&](const WaitReason& reason, std::uint64_t) { told.push_back(reason); };
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, options);
  unsigned looks = 0;
  unsigned looks_after = 0;
  engine.wait(
      [&] {
        ++looks;
        if (!told.empty()) ++looks_after;
        return looks_after > 200;
      },
      {"lock", 5, 2});
  ASSERT_EQ(told.size(), 1u);
  EXPECT_STREQ(told[0].operation, "lock");
  EXPECT_EQ(told[0].target, 5);
  EXPECT_EQ(told[0].server, 2);
}

TEST(Engine, hands_over_a_wait_that_is_longer_than_the_limit) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  std::uint64_t waited = 0;
  std::string operation;
  EngineOptions options{.wait = quick()};
  options.stall.limit_ns = 1'000'000;
  options.stall.on_limit = [&](const WaitReason& reason, std::uint64_t waited_ns) {
    operation = reason.operation;
    waited = waited_ns;
  };
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, options);
  engine.wait([&] { return waited != 0; }, {"lock", 5, 2});
  EXPECT_GE(waited, 1'000'000u);
  EXPECT_EQ(operation, "lock");
}

// It may have been stopped, and what it waits for may have come meanwhile.
TEST(Engine, goes_on_for_a_while_where_the_limit_has_passed_at_once) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  bool is_ended = false;
  EngineOptions options{.wait = quick()};
  options.stall.limit_ns = 2'000'000'000;
  options.stall.on_limit = [&](const WaitReason&, std::uint64_t) { is_ended = true; };
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, options);
  bool was_stopped = false;
  const auto begin = std::chrono::steady_clock::now();
  engine.wait(
      [&] {
        if (was_stopped) return true;
        if (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(100)) return false;
        std::this_thread::sleep_for(std::chrono::nanoseconds(options.stall.limit_ns));
        was_stopped = true;
        return false;
      },
      {"lock", 5, 2});
  EXPECT_FALSE(is_ended);
}

TEST(Engine, says_that_it_is_idle_in_polls_and_before_naps_only) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  unsigned times = 0;
  EngineOptions options{.wait = quick()};
  options.when_idle = [&] { ++times; };
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, options);
  engine.poll();
  engine.poll_aside();
  EXPECT_EQ(times, 2u);
  unsigned looks = 0;
  engine.wait([&] { return ++looks == 3; }, {"a round"});
  EXPECT_EQ(times, 2u);
  engine.wait([&] { return times == 5; }, {"three naps"});
}

TEST(Engine, many_threads_wait_at_once_and_each_gets_its_own) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink ignored;
  ControlMessages control(fabric.endpoint(0)), sender(fabric.endpoint(1));
  Engine engine(fabric.endpoint(0), {nullptr, &ignored, &control}, *os, {.wait = quick()});
  std::vector<std::thread> threads;
  std::atomic<int> got{0};
  for (std::uint32_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 50; ++i) {
        std::uint64_t value = 0;
        engine.wait([&] { return control.take(1, 7, i, t, std::as_writable_bytes(std::span(&value, 1))); },
                    {});
        if (value == i * 100 + t) ++got;
      }
    });
  }
  for (std::uint64_t i = 0; i < 50; ++i) {
    for (std::uint32_t t = 0; t < 6; ++t) {
      const std::uint64_t value = i * 100 + t;
      sender.send(0, 7, i, t, std::as_bytes(std::span(&value, 1)));
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(got.load(), 300);
}

TEST(ProgressThread, moves_messages_while_nobody_calls) {
  transport::LoopbackFabric fabric(2);
  const std::unique_ptr<shm::Os> os = shm::make_posix_os();
  CountingSink sink;
  Engine engine(fabric.endpoint(0), {&sink, &sink, &sink}, *os, {.wait = quick()});
  const ProgressThread thread(engine, *os, quick());
  post(fabric.endpoint(1), 0, protocol::Verb::control);
  for (bool arrived = false; !arrived;) {
    std::this_thread::yield();
    const Engine::Lock lock = engine.enter();
    arrived = !sink.verbs.empty();
  }
}

TEST(ControlMessages, keep_what_comes_early_and_join_what_comes_in_pieces) {
  transport::LoopbackFabric fabric(2);
  ControlMessages sender(fabric.endpoint(1)), receiver(fabric.endpoint(0));
  std::vector<std::byte> large(10000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::byte>(i % 251);
  sender.send(0, 1, 5, 0, large);
  sender.send(0, 1, 4, 0, {});
  std::vector<std::byte> into(large.size());
  transport::Message message;
  int pieces = 0;
  while (fabric.endpoint(0).receive(message)) {
    receiver.on_message(message);
    ++pieces;
    EXPECT_TRUE(pieces >= 3 || !receiver.take(1, 1, 5, 0, into));
  }
  EXPECT_EQ(pieces, 4);
  EXPECT_FALSE(receiver.take(1, 1, 3, 0, {}));
  EXPECT_TRUE(receiver.take(1, 1, 4, 0, {}));
  EXPECT_TRUE(receiver.take(1, 1, 5, 0, into));
  EXPECT_EQ(into, large);
  EXPECT_FALSE(receiver.take(1, 1, 5, 0, into)) << "taken already";
}

TEST(ControlMessages, of_a_mailbox_give_way_to_newer_ones) {
  transport::LoopbackFabric fabric(2);
  ControlMessages sender(fabric.endpoint(1)), receiver(fabric.endpoint(0));
  const auto send = [&](char fill) {
    sender.send(0, mailbox_context, 5, 0, std::vector<std::byte>(10000, static_cast<std::byte>(fill)));
  };
  const auto receive = [&](int pieces) {
    transport::Message message;
    while (pieces-- > 0 && fabric.endpoint(0).receive(message)) receiver.on_message(message);
  };
  send('a');
  send('b');
  send('c');
  std::vector<std::byte> into(10000);
  receive(6);
  EXPECT_TRUE(receiver.take(1, mailbox_context, 5, 0, into));
  EXPECT_EQ(into, std::vector<std::byte>(10000, std::byte{'b'}));
  receive(2);
  EXPECT_FALSE(receiver.take(1, mailbox_context, 5, 0, into)) << "the newest is not whole";
  receive(1);
  EXPECT_TRUE(receiver.take(1, mailbox_context, 5, 0, into));
  EXPECT_EQ(into, std::vector<std::byte>(10000, std::byte{'c'}));
  EXPECT_FALSE(receiver.take(1, mailbox_context, 5, 0, into));
}

}  // namespace
}  // namespace comex::op
