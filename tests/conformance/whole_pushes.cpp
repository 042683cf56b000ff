// Batches that their origin leaves open and its host's progress rank sends, in whatever order they arrive.
#include <array>
#include <atomic>
#include <random>
#include <thread>

#include "conformance/whole_rig.h"

namespace comex::whole {
namespace {

// An origin with several credits, whose batches nobody sends but the pusher and what it starts itself.
class WholePushes : public testing::Test {
 protected:
  WholePushes() {
    nb::Completion done;
    for (int i = 0; i < 20; ++i) {
      std::int64_t zero = 0;
      rig.origin().start(contiguous(Action::put, &zero, rig.region, 8), rig.far, done);
      rig.finish(done);
    }
    rig.fence();
    rig.sends_batches = false;
  }
  void append(std::int64_t value, std::size_t index) {
    ASSERT_TRUE(
        append_write(rig.origin(), contiguous(Action::put, &value, rig.region + 8 * index, 8), rig.far));
  }
  // The pushed message is on its way, and stays there.
  void push_slowly() {
    rig.fabric.hold_messages(rig.pusher_rank, 0);
    ASSERT_EQ(rig.push(), 1u);
  }
  void let_arrive() { rig.fabric.release_messages(rig.pusher_rank, 0); }
  void expect_nothing_happens(const nb::Completion& done) {
    for (int i = 0; i < 50; ++i) rig.turn();
    EXPECT_FALSE(done.done());
  }

  Rig rig;
};

TEST_F(WholePushes, what_an_origin_leaves_when_it_computes_takes_effect) {
  std::int64_t term = 3;
  append(5, 0);
  ASSERT_TRUE(append_write(rig.origin(), acc_of(&term, rig.region), rig.far));
  EXPECT_EQ(rig.push(), 1u);
  rig.serve();
  EXPECT_EQ(word_at(rig, 0), 8);
  append(6, 1);  // not in the one that has left
  EXPECT_EQ(word_at(rig, 1), 0);
  EXPECT_EQ(rig.push(), 1u);
  rig.serve();
  EXPECT_EQ(word_at(rig, 1), 6);
  rig.fence();
  rig.expect_quiet();
}

TEST_F(WholePushes, what_is_sent_for_an_origin_tells_how_long_it_waited) {
  append(5, 0);
  rig.os.sleep_ns(5000);
  append(6, 1);  // joins it
  ASSERT_EQ(rig.push(), 1u);
  const pr::PushCounters first = rig.pusher->counters();
  EXPECT_EQ(first.batches, 1u);
  EXPECT_GE(first.waited_ns, 5000u);
  EXPECT_EQ(first.longest_ns, first.waited_ns);
  EXPECT_EQ(first.late, 1u);
  append(7, 2);
  ASSERT_EQ(rig.push(), 1u);
  EXPECT_EQ(rig.pusher->counters().batches, 2u);
  EXPECT_GT(rig.pusher->counters().waited_ns, first.waited_ns);
  append(8, 3);
  rig.origin().batches().close_all();  // in a call of its own
  EXPECT_EQ(rig.push(), 0u);
  EXPECT_EQ(rig.pusher->counters().batches, 2u);
  rig.fence();
  rig.expect_quiet();
}

TEST_F(WholePushes, a_look_at_what_is_just_open_leaves_it_alone) {
  append(5, 0);
  EXPECT_EQ(rig.pusher->advance(), 0u);
  append(6, 1);
  EXPECT_EQ(rig.push(), 1u);
  rig.serve();
  EXPECT_EQ(rig.server->counters().batch_items, 2u);
}

TEST_F(WholePushes, what_its_origin_has_sent_is_not_sent_again) {
  append(5, 0);
  EXPECT_EQ(rig.pusher->advance(), 0u);
  rig.origin().batches().close_all();
  EXPECT_EQ(rig.push(), 0u);
  append(6, 0);
  rig.fence();
  EXPECT_EQ(rig.push(), 0u);
  EXPECT_EQ(rig.server->counters().batch_items, 2u);
}

TEST_F(WholePushes, the_pusher_forgets_who_leaves_nothing_and_hears_of_it_again) {
  append(5, 0);
  EXPECT_EQ(rig.push(), 1u);
  for (int i = 0; i < 10; ++i) rig.push();
  EXPECT_EQ(rig.pusher->due_in(), shm::forever_ns);
  append(6, 0);
  EXPECT_EQ(rig.push(), 1u);
}

TEST_F(WholePushes, pushed_atomics_answer_their_origin) {
  std::array<std::int64_t, 3> old{-1, -1, -1};
  nb::Completion done;
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[0], rig.region, 7), rig.far, done));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[1], rig.region, 7), rig.far, done));
  ASSERT_EQ(rig.push(), 1u);
  rig.serve();
  EXPECT_EQ(word_at(rig, 0), 14);
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[2], rig.region, 7), rig.far, done));
  ASSERT_EQ(rig.push(), 1u);
  rig.finish(done);
  EXPECT_EQ(old, (std::array<std::int64_t, 3>{0, 7, 14}));
  rig.fence();
  rig.expect_quiet();
}

// The first rmw of a batch comes when the puts before it are gone.
TEST_F(WholePushes, an_atomic_that_came_too_late_goes_with_the_next) {
  std::int64_t old = -1;
  nb::Completion done;
  append(5, 0);
  ASSERT_EQ(rig.push(), 1u);
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old, rig.region, 1), rig.far, done));
  rig.origin().batches().close_all();
  rig.finish(done);
  EXPECT_EQ(old, 5);
  EXPECT_EQ(word_at(rig, 0), 6);
  rig.fence();
  rig.expect_quiet();
}

TEST_F(WholePushes, everything_behind_a_slow_pushed_batch_waits_for_it) {
  std::int64_t near = -1, old = -1;
  nb::Completion got, added, fenced, locked, stored, unlocked;
  append(5, 0);
  push_slowly();
  rig.origin().start(contiguous(Action::get, &near, rig.region, 8), rig.far, got);
  rig.origin().start_atomic(add_to(&old, rig.region, 10), rig.far, added);
  rig.origin().start_put_signal({}, rig.region + 8, 1, rig.far, stored);
  rig.origin().start_lock(0, rig.far, locked);
  rig.origin().start_fence(0, fenced);
  rig.origin().start_release(0, rig.far, unlocked);
  expect_nothing_happens(got);
  EXPECT_FALSE(added.done() || locked.done() || fenced.done());
  EXPECT_EQ(word_at(rig, 1), 0) << "a signal overtook the put before it";
  EXPECT_GE(rig.server->counters().early, 4u);
  EXPECT_FALSE(rig.server->quiet());
  let_arrive();
  for (nb::Completion* each : {&got, &added, &fenced, &locked, &unlocked}) rig.finish(*each);
  EXPECT_EQ(near, 5);
  EXPECT_EQ(old, 5);
  EXPECT_EQ(word_at(rig, 0), 15);
  EXPECT_EQ(word_at(rig, 1), 1);
  rig.expect_quiet();
}

TEST_F(WholePushes, later_puts_small_and_large_win_over_a_slow_pushed_one) {
  std::vector<std::byte> large = pattern(30000, 3);
  std::int64_t value = 9;
  nb::Completion done;
  append(5, 0);
  append(5, 1);
  append(5, 100);
  push_slowly();
  rig.origin().start(contiguous(Action::put, &value, rig.region, 8), rig.far, done);
  append(10, 1);
  rig.origin().start(contiguous(Action::put, large.data(), rig.region + 800, large.size()), rig.far, done);
  for (int i = 0; i < 50; ++i) rig.turn();
  let_arrive();
  rig.finish(done);
  rig.fence();
  EXPECT_EQ(word_at(rig, 0), 9);
  EXPECT_EQ(word_at(rig, 1), 10);
  EXPECT_EQ(std::memcmp(rig.region + 800, large.data(), large.size()), 0);
  rig.expect_quiet();
}

// The other way round: the origin's own message is slow, and what it wrote later must not be seen by it.
TEST_F(WholePushes, an_earlier_get_does_not_see_what_is_pushed_past_it) {
  std::int64_t near = -1;
  nb::Completion got;
  append(1, 0);
  rig.fence();
  rig.fabric.hold_messages(1, 0);
  rig.origin().start(contiguous(Action::get, &near, rig.region, 8), rig.far, got);
  append(2, 0);
  ASSERT_EQ(rig.push(), 1u);
  expect_nothing_happens(got);
  EXPECT_EQ(word_at(rig, 0), 1);
  rig.fabric.release_messages(1, 0);
  rig.finish(got);
  EXPECT_EQ(near, 1);
  rig.fence();
  EXPECT_EQ(word_at(rig, 0), 2);
  rig.expect_quiet();
}

TEST_F(WholePushes, refusals_in_a_pushed_batch_reach_its_origin) {
  rig.origin().set_errors_return(true);
  std::int64_t old = -1;
  std::int64_t value = 4;
  nb::Completion bad;
  std::byte* const beyond = rig.region + (16 << 20);
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, beyond, 8), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old, beyond, 1), rig.far, bad));
  ASSERT_EQ(rig.push(), 1u);
  rig.finish(bad);
  rig.fence();
  EXPECT_EQ(bad.take_failure(), nb::OperationError::reported);
  EXPECT_EQ(old, -1);
  EXPECT_EQ(rig.origin().take_failures(rig.far), 1u);
  rig.expect_quiet();
}

// Everything at random, against a model: pushes, early messages both ways, all kinds of operations.
TEST(WholePushesAtRandom, agree_with_a_model) {
  for (const std::uint64_t pool : {std::uint64_t{0}, 16 * protocol::message_bytes}) {
    Rig rig({.pool_bytes = pool});
    rig.sends_batches = false;
    constexpr std::size_t words = 8;
    constexpr std::size_t operations = 20000;
    std::mt19937_64 random(815);
    std::vector<std::int64_t> model(words), values(operations), old(operations), expected(operations);
    nb::Completion done;
    const auto release = [&] {
      rig.fabric.release_messages(1, 0);
      rig.fabric.release_messages(rig.pusher_rank, 0);
    };
    for (std::size_t i = 0; i < operations; ++i) {
      const std::size_t at = random() % words;
      std::int64_t& value = values[i] = static_cast<std::int64_t>(random() % 1000);
      std::byte* const far = rig.region + 8 * at;
      while (!rig.origin().has_capacity(rig.far)) {
        release();
        rig.turn();
      }
      switch (random() % 6) {
        case 0:
          if (!append_write(rig.origin(), contiguous(Action::put, &value, far, 8), rig.far))
            rig.origin().start(contiguous(Action::put, &value, far, 8), rig.far, done);
          model[at] = value;
          break;
        case 1:
          if (!append_write(rig.origin(), acc_of(&value, far), rig.far))
            rig.origin().start(acc_of(&value, far), rig.far, done);
          model[at] += value;
          break;
        case 2:
        case 3:
          expected[i] = model[at];
          model[at] += value;
          if (random() % 8 == 0 ||
              !rig.origin().batches().append_atomic(add_to(&old[i], far, value), rig.far, done))
            rig.origin().start_atomic(add_to(&old[i], far, value), rig.far, done);
          break;
        case 4:
          expected[i] = model[at];
          rig.origin().start(contiguous(Action::get, &old[i], far, 8), rig.far, done);
          break;
        default:
          if (random() % 8 == 0) rig.origin().start_fence(0, done);
          break;
      }
      if (random() % 3 == 0) rig.push();
      if (random() % 5 == 0) rig.fabric.hold_messages(1, 0);
      if (random() % 5 == 0) rig.fabric.hold_messages(rig.pusher_rank, 0);
      if (random() % 4 == 0) release();
      if (random() % 6 == 0) rig.turn();
    }
    release();
    rig.origin().batches().close_all();
    rig.finish(done);
    EXPECT_EQ(old, expected);
    rig.fence();
    for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(word_at(rig, i), model[i]) << i;
    if (pool != 0) {
      EXPECT_GT(rig.server->counters().early, 100u);
    }
    rig.expect_quiet();
  }
}

// The word of a buffer is fought over by its worker and the pusher, each on a thread of its own.
TEST(WholePushesThreads, each_item_is_sent_once_by_one_of_two) {
  Rig rig;
  std::atomic<bool> stop{false};
  std::thread service([&] {
    while (!stop.load()) {
      rig.serve();
      std::this_thread::yield();
    }
  });
  std::thread pushing([&] {
    while (!stop.load()) {
      rig.pusher->advance();
      std::this_thread::yield();
    }
  });
  op::Remote& remote = rig.origin();
  const auto turn = [&] {
    transport::Message message;
    while (rig.fabric.endpoint(1).receive(message)) remote.on_message(message);
    remote.advance();
    std::this_thread::yield();
  };
  constexpr int rounds = 4000;
  std::vector<std::int64_t> old(rounds, -1);
  nb::Completion done;
  for (int i = 0; i < rounds; ++i) {
    std::int64_t one = 1;
    for (int item = 0; item < 5; ++item) {
      while (!remote.has_capacity(rig.far)) turn();
      if (!append_write(remote, acc_of(&one, rig.region), rig.far)) {
        nb::Completion added;
        remote.start(acc_of(&one, rig.region), rig.far, added);
        while (!added.done()) turn();
      }
    }
    while (!remote.has_capacity(rig.far)) turn();
    const AtomicOperation add = add_to(&old[static_cast<std::size_t>(i)], rig.region + 8, 1);
    if (!remote.batches().append_atomic(add, rig.far, done)) remote.start_atomic(add, rig.far, done);
    if (i % 16 == 0) remote.batches().close_all();
    if (i % 8 == 0) std::this_thread::yield();
  }
  remote.start_fence(0, done);
  while (!done.done()) turn();
  stop = true;
  service.join();
  pushing.join();
  EXPECT_EQ(word_at(rig, 0), 5 * rounds);
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(old[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace comex::whole
