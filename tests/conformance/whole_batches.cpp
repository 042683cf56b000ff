// Batches of small operations, origin and server together.
#include <random>

#include "conformance/whole_rig.h"
#include "shm/locks/block_locks.h"

namespace comex::whole {
namespace {

TEST(WholeBatches, mixed_items_do_what_they_would_do_alone_in_their_order) {
  for (const RigOptions& options :
       {RigOptions{.pool_bytes = 0}, RigOptions{}, RigOptions{.staging_reserve = 0}}) {
    Rig rig(options);
    constexpr std::size_t words = 16;
    constexpr std::size_t operations = 5000;
    std::mt19937_64 random(4711);
    std::vector<std::int64_t> model(words);
    std::vector<std::int64_t> old(operations), expected(operations);
    nb::Completion done;
    for (std::size_t i = 0; i < operations; ++i) {
      const std::size_t at = random() % words;
      std::int64_t value = static_cast<std::int64_t>(random() % 1000);
      std::byte* const far = rig.region + 8 * at;
      ASSERT_TRUE(rig.until([&] { return rig.origin().has_capacity(rig.far); }));
      switch (random() % 5) {
        case 0:
          ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, far, 8), rig.far));
          model[at] = value;
          break;
        case 1:
          ASSERT_TRUE(append_write(rig.origin(), acc_of(&value, far, 3), rig.far));
          model[at] += 3 * value;
          break;
        case 2:
          expected[i] = model[at];
          model[at] += value;
          ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[i], far, value), rig.far, done));
          break;
        case 3:
          expected[i] = model[at];
          ASSERT_TRUE(rig.origin().batches().append_get(&old[i], far, 8, rig.far, done));
          break;
        default:
          expected[i] = model[at];
          rig.origin().start(contiguous(Action::get, &old[i], far, 8), rig.far, done);
          break;
      }
      value = -1;  // the source is free
      if (random() % 300 == 0) rig.turn();
    }
    rig.finish(done);
    EXPECT_EQ(old, expected);
    rig.fence();
    for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(word_at(rig, i), model[i]) << i;
    rig.expect_quiet();
    EXPECT_GT(rig.server->counters().batch_items, operations / 2);
  }
}

// How many messages so many fetch-and-adds of one word are.
std::uint64_t messages_of(std::size_t adds, const RigOptions& options) {
  Rig rig(options);
  nb::Completion done;
  std::vector<std::int64_t> old(adds);
  for (std::int64_t& each : old) {
    EXPECT_TRUE(rig.until([&] { return rig.origin().has_capacity(rig.far); }));
    EXPECT_TRUE(rig.origin().batches().append_atomic(add_to(&each, rig.region, 1), rig.far, done));
  }
  rig.finish(done);
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], static_cast<std::int64_t>(i));
  return rig.server->counters().requests;
}

TEST(WholeBatches, are_shorter_where_a_server_keeps_less_of_each_origin) {
  const std::uint64_t usual = messages_of(3000, {});
  const std::uint64_t shorter = messages_of(3000, {.staging_reserve = 0});
  EXPECT_GE(shorter * short_message, usual * protocol::message_bytes);
  EXPECT_LT(shorter, 2 * usual);
}

TEST(WholeBatches, small_operations_share_messages) {
  EXPECT_LE(messages_of(1000, {}), 8u);
}

// Of every size; the largest ones fill the reply long before the request.
TEST(WholeBatches, gets_of_every_size_share_messages) {
  constexpr std::size_t largest = 256;
  Rig rig;
  const std::vector<std::byte> there = pattern(2 * largest, 7);
  std::memcpy(rig.region, there.data(), there.size());
  std::vector<std::vector<std::byte>> here;
  nb::Completion done;
  for (std::size_t bytes = 1; bytes <= largest; ++bytes) {
    here.emplace_back(bytes + 1, std::byte{99});
    ASSERT_TRUE(rig.until([&] { return rig.origin().has_capacity(rig.far); }));
    ASSERT_TRUE(
        rig.origin().batches().append_get(here.back().data(), rig.region + bytes, bytes, rig.far, done));
  }
  rig.finish(done);
  for (std::size_t bytes = 1; bytes <= largest; ++bytes) {
    EXPECT_EQ(std::memcmp(here[bytes - 1].data(), there.data() + bytes, bytes), 0) << bytes;
    EXPECT_EQ(here[bytes - 1].back(), std::byte{99}) << "behind " << bytes;
  }
  EXPECT_LE(rig.server->counters().requests, 12u);
  EXPECT_FALSE(rig.origin().batches().append_get(here.back().data(), rig.region, largest + 1, rig.far, done));
  rig.expect_quiet();
}

TEST(WholeBatches, gets_find_what_was_put_before_them_and_not_what_comes_behind) {
  Rig rig;
  std::int64_t value = 5;
  std::int64_t got[2] = {-1, -1};
  nb::Completion done;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_get(&got[0], rig.region, 8, rig.far, done));
  value = 6;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_get(&got[1], rig.region, 8, rig.far, done));
  rig.finish(done);
  EXPECT_EQ(got[0], 5);
  EXPECT_EQ(got[1], 6);
  EXPECT_EQ(rig.server->counters().batch_items, 4u);
  EXPECT_EQ(rig.server->counters().requests, 1u);
}

TEST(WholeBatches, a_fence_a_get_and_a_store_find_what_was_appended_before_them) {
  Rig rig;
  std::int64_t value = 5;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  EXPECT_TRUE(rig.origin().dirty(rig.far.server));
  nb::Completion got;
  std::int64_t near = 0;
  rig.origin().start(contiguous(Action::get, &near, rig.region, 8), rig.far, got);
  rig.finish(got);
  EXPECT_EQ(near, 5);
  value = 6;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  nb::Completion stored;
  rig.origin().start_put_signal({}, rig.region + 8, 9, rig.far, stored);
  ASSERT_TRUE(rig.until([&] { return word_at(rig, 1) == 9; }));
  EXPECT_EQ(word_at(rig, 0), 6);
  rig.fence();
}

// The large put is on its way when the batch comes; the later writer wins.
TEST(WholeBatches, items_take_effect_after_a_large_put_before_them) {
  Rig rig;
  std::vector<std::byte> large = pattern(200000, 3);
  std::int64_t value = 77;
  std::int64_t old = 0;
  nb::Completion done;
  for (int i = 0; i < 20; ++i) {  // earns more credits than one, so that the batch need not wait for that
    rig.origin().start(contiguous(Action::put, &value, rig.region, 8), rig.far, done);
    rig.finish(done);
  }
  rig.fence();
  rig.origin().start(contiguous(Action::put, large.data(), rig.region, large.size()), rig.far, done);
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region + 199200, 8), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old, rig.region + 199200, 1), rig.far, done));
  rig.finish(done);
  rig.fence();
  EXPECT_EQ(old, 77);
  EXPECT_EQ(word_at(rig, 24900), 78);
  EXPECT_EQ(std::memcmp(rig.region, large.data(), 199200), 0);
  EXPECT_EQ(std::memcmp(rig.region + 199208, large.data() + 199208, large.size() - 199208), 0);
}

TEST(WholeBatches, a_busy_stripe_stops_a_batch_at_its_item_and_later_ones_wait) {
  Rig rig;
  const std::uint64_t block = rig.arena.offset_of(rig.region) >> kernels::stripe_block_shift;
  shm::BlockLocks held(rig.arena.stripes());
  ASSERT_TRUE(held.try_lock(block));
  std::int64_t term = 1;
  std::int64_t value = 9;
  std::int64_t old = -1;
  nb::Completion done;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region + 8, 8), rig.far));
  ASSERT_TRUE(append_write(rig.origin(), acc_of(&term, rig.region, 2), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old, rig.region, 10), rig.far, done));
  for (int i = 0; i < 50; ++i) rig.turn();
  EXPECT_EQ(word_at(rig, 1), 9);
  EXPECT_EQ(word_at(rig, 0), 0);
  EXPECT_FALSE(done.done());
  nb::Completion got;
  std::int64_t near = 0;
  rig.origin().start(contiguous(Action::get, &near, rig.region, 8), rig.far, got);
  for (int i = 0; i < 50; ++i) rig.turn();
  EXPECT_FALSE(got.done());
  held.unlock(block);
  rig.finish(done);
  rig.finish(got);
  EXPECT_EQ(old, 2);
  EXPECT_EQ(near, 12);
  rig.fence();
}

// Small and large answers, and as many items behind them as the batch takes.
TEST(WholeBatches, answers_in_front_of_a_busy_stripe_outlast_the_wait_for_it) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{100}, std::size_t{256}}) {
    Rig rig;
    constexpr std::size_t gets = 14;
    std::byte* const there = rig.region + region_bytes / 2;
    const std::vector<std::byte> data = pattern(gets * bytes, 5);
    std::memcpy(there, data.data(), data.size());
    shm::BlockLocks held(rig.arena.stripes());
    const std::uint64_t block = rig.arena.offset_of(rig.region) >> kernels::stripe_block_shift;
    ASSERT_TRUE(held.try_lock(block));
    std::vector<std::byte> got(data.size());
    std::vector<std::int64_t> old(100, -1);
    nb::Completion done;
    for (std::size_t at = 0; at < got.size(); at += bytes) {
      ASSERT_TRUE(rig.origin().batches().append_get(got.data() + at, there + at, bytes, rig.far, done));
    }
    const std::int64_t term = 1;
    ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &term}, &term, rig.region, 8, rig.far));
    std::size_t words = 0;
    while (words < old.size() && rig.origin().has_capacity(rig.far) && rig.fabric.messages(1, 0) == 0) {
      ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[words++], rig.region, 1), rig.far, done));
    }
    EXPECT_GT(words, 3u);
    for (int i = 0; i < 50; ++i) rig.turn();
    EXPECT_FALSE(done.done());
    EXPECT_EQ(rig.server->counters().at_once, 0u);
    held.unlock(block);
    rig.finish(done);
    EXPECT_EQ(got, data);
    for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(old[i], static_cast<std::int64_t>(i + 1));
    rig.fence();
  }
}

TEST(WholeBatches, each_refused_item_is_told_and_the_others_take_effect) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::byte* const beyond = rig.region + (16 << 20);
  std::byte* const wrapping =
      reinterpret_cast<std::byte*>(rig.far.offset_base - 4);  // ends beyond all addresses
  std::int64_t value = 4;
  std::int64_t old[3] = {-1, -1, -1};
  std::int64_t got[2] = {-1, -1};
  nb::Completion good, bad, misaligned, missing;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, wrapping, 8), rig.far));
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, beyond, 8), rig.far));
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  ASSERT_TRUE(append_write(rig.origin(), acc_of(&value, beyond, 1), rig.far));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[0], beyond, 1), rig.far, bad));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[1], rig.region, 1), rig.far, good));
  ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&old[2], rig.region + 4, 1), rig.far, misaligned));
  ASSERT_TRUE(rig.origin().batches().append_get(&got[0], beyond, 8, rig.far, missing));
  ASSERT_TRUE(rig.origin().batches().append_get(&got[1], rig.region, 8, rig.far, good));
  for (nb::Completion* each : {&good, &bad, &misaligned, &missing}) rig.finish(*each);
  rig.fence();
  EXPECT_EQ(bad.take_failure(), nb::OperationError::reported);
  EXPECT_EQ(misaligned.take_failure(), nb::OperationError::reported);
  EXPECT_EQ(missing.take_failure(), nb::OperationError::reported);
  EXPECT_EQ(good.take_failure(), nb::OperationError::none);
  EXPECT_EQ(old[0], -1);
  EXPECT_EQ(old[1], 4);
  EXPECT_EQ(old[2], -1);
  EXPECT_EQ(got[0], -1);
  EXPECT_EQ(got[1], 5);
  EXPECT_EQ(word_at(rig, 0), 5);
  EXPECT_EQ(rig.refused, 6u);
  EXPECT_EQ(rig.origin().take_failures(rig.far), 3u) << "the writes; the words told their waits";
  rig.expect_quiet();
}

TEST(WholeBatches, many_origins_with_one_credit_each_stay_within_it) {
  Rig rig({.origins = 4, .pool_bytes = 0});
  std::int64_t one = 1;
  for (int i = 0; i < 2000; ++i) {
    for (std::size_t origin = 0; origin < 4; ++origin) {
      ASSERT_TRUE(rig.until([&] { return rig.origin(origin).has_capacity(rig.far); }));
      ASSERT_TRUE(append_write(rig.origin(origin), acc_of(&one, rig.region, 1), rig.far));
    }
  }
  for (std::size_t origin = 0; origin < 4; ++origin) rig.fence(origin);
  EXPECT_EQ(word_at(rig, 0), 8000);
  EXPECT_LE(rig.server->counters().queued_peak, 4u);
  rig.expect_quiet();
}

TEST(WholeBatches, few_slots_are_enough_for_many_words) {
  Rig rig({.slots = 2});
  std::vector<std::int64_t> old(3000);
  nb::Completion done;
  for (std::int64_t& each : old) {
    const AtomicOperation add = add_to(&each, rig.region, 1);
    if (!rig.origin().batches().append_atomic(add, rig.far, done))
      rig.origin().start_atomic(add, rig.far, done);
  }
  rig.finish(done);
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], static_cast<std::int64_t>(i));
  EXPECT_GT(rig.server->counters().batch_items, 0u);
}

TEST(WholeBatches, a_fence_leaves_behind_what_is_still_open) {
  Rig rig;
  std::int64_t value = 5;
  rig.fence();
  const std::uint64_t sent = rig.fabric.messages(1, 0);
  const std::uint64_t answered = rig.fabric.messages(0, 1);
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  nb::Completion one, two;
  rig.origin().start_fence(0, one);
  rig.origin().start_fence(0, two);
  rig.sends_batches = false;
  rig.finish(one);
  rig.finish(two);
  EXPECT_EQ(word_at(rig, 0), 5);
  EXPECT_FALSE(rig.origin().dirty(rig.far.server));
  EXPECT_EQ(rig.fabric.messages(1, 0), sent + 2);
  EXPECT_EQ(rig.fabric.messages(0, 1), answered + 1);
  rig.expect_quiet();
}

TEST(WholeBatches, a_fence_behind_a_batch_covers_nothing_that_is_written_later) {
  Rig rig;
  std::int64_t value = 5;
  ASSERT_TRUE(append_write(rig.origin(), contiguous(Action::put, &value, rig.region, 8), rig.far));
  nb::Completion one, two;
  rig.origin().start_fence(0, one);
  rig.finish(one);
  rig.fabric.hold_messages(1, 0);
  rig.origin().start(contiguous(Action::put, &value, rig.region + 8, 8), rig.far, one);
  rig.origin().start_fence(0, two);
  EXPECT_FALSE(rig.until([&] { return two.done(); }, 50));
  rig.fabric.release_messages(1, 0);
  rig.finish(two);
  EXPECT_EQ(word_at(rig, 1), 5);
}

}  // namespace
}  // namespace comex::whole
