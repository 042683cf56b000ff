// Batches of items that repeat the ones before them, origin and server together.
#include "conformance/whole_rig.h"
#include "shm/locks/block_locks.h"

namespace comex::whole {
namespace {

std::size_t items_in_one_message(std::size_t bytes_of_an_item, std::size_t more_of_the_first) {
  return (protocol::message_bytes - sizeof(protocol::RequestHeader) - more_of_the_first) / bytes_of_an_item;
}

// Fills a batch until it leaves; all of its items are alike.
template <class Append>
std::size_t fill(Rig& rig, const Append& append) {
  std::size_t items = 0;
  while (rig.fabric.messages(1, 0) == 0 && rig.origin().has_capacity(rig.far)) append(items++);
  return items;
}

TEST(WholeRepeats, a_message_takes_more_items_that_are_alike) {
  {
    Rig rig;
    const std::size_t puts = fill(rig, [&](std::size_t i) {
      const std::uint64_t value = i;
      ASSERT_TRUE(rig.origin().batches().append_put(&value, rig.region + 8 * (i % 100), 8, rig.far));
    });
    EXPECT_GE(puts, items_in_one_message(16, 8) - 20) << "the room for the largest item stays";
    rig.fence();
    EXPECT_GT(puts, 200u);
    for (std::size_t i = puts - 100; i < puts; ++i)
      EXPECT_EQ(word_at(rig, i % 100), static_cast<std::int64_t>(i));
  }
  {
    Rig rig;
    const double scale = 0.5;
    const double value = 3;
    const std::size_t accs = fill(rig, [&](std::size_t) {
      ASSERT_TRUE(
          rig.origin().batches().append_acc({Scalar::float64, &scale}, &value, rig.region, 8, rig.far));
    });
    EXPECT_GT(accs, 200u);
    rig.fence();
    double sum = 0;
    std::memcpy(&sum, rig.region, sizeof sum);
    EXPECT_EQ(sum, 1.5 * static_cast<double>(accs));
  }
}

TEST(WholeRepeats, another_scale_size_or_type_is_no_repetition) {
  Rig rig;
  const std::int64_t one = 1, two = 2, value = 10;
  const double half = 0.5, real = 8;
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &one}, &value, rig.region, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &two}, &value, rig.region, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &two}, &value, rig.region, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::float64, &half}, &real, rig.region + 8, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_put(&value, rig.region + 16, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_put(&value, rig.region + 24, 4, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::float64, &half}, &real, rig.region + 8, 8, rig.far));
  rig.fence();
  EXPECT_EQ(word_at(rig, 0), 50);
  double sum = 0;
  std::memcpy(&sum, rig.region + 8, sizeof sum);
  EXPECT_EQ(sum, 8.0);
  EXPECT_EQ(word_at(rig, 2), 10);
  EXPECT_EQ(word_at(rig, 3), 10);
}

// Answers take the places of items that are done, so that a server that goes on may not look back at them.
TEST(WholeRepeats, a_batch_goes_on_in_the_middle_of_repeated_items) {
  Rig rig;
  shm::BlockLocks held(rig.arena.stripes());
  std::byte* const busy = rig.region + kernels::stripe_block_bytes;
  const std::uint64_t block = rig.arena.offset_of(busy) >> kernels::stripe_block_shift;
  ASSERT_TRUE(held.try_lock(block));
  std::vector<std::int64_t> got(60, -1), old(40, -1);
  nb::Completion done;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto value = static_cast<std::int64_t>(i);
    std::memcpy(rig.region + 8 * i, &value, sizeof value);
    ASSERT_TRUE(rig.origin().batches().append_get(&got[i], rig.region + 8 * i, 8, rig.far, done));
  }
  const std::int64_t scale = 3, term = 2;
  ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &scale}, &term, rig.region, 8, rig.far));
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(rig.origin().batches().append_acc({Scalar::int64, &scale}, &term, busy + 8 * i, 8, rig.far));
  }
  for (std::int64_t& each : old) {
    ASSERT_TRUE(rig.origin().batches().append_atomic(add_to(&each, busy, 1), rig.far, done));
  }
  for (int i = 0; i < 50; ++i) rig.turn();
  EXPECT_EQ(word_at(rig, 0), 6) << "in front of the busy stripe";
  EXPECT_FALSE(done.done());
  held.unlock(block);
  rig.finish(done);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], static_cast<std::int64_t>(i));
  for (std::size_t i = 0; i < old.size(); ++i) EXPECT_EQ(old[i], static_cast<std::int64_t>(i + 6));
  rig.fence();
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(word_at(rig, kernels::stripe_block_bytes / 8 + i), 6) << i;
  rig.expect_quiet();
}

TEST(WholeRepeats, a_refused_item_may_be_repeated_and_repeat) {
  Rig rig;
  rig.origin().set_errors_return(true);
  std::byte* const far_away = rig.region + (16 << 20);
  const std::int64_t value = 4;
  ASSERT_TRUE(rig.origin().batches().append_put(&value, rig.region, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_put(&value, far_away, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_put(&value, far_away + 8, 8, rig.far));
  ASSERT_TRUE(rig.origin().batches().append_put(&value, rig.region + 8, 8, rig.far));
  rig.fence();
  EXPECT_EQ(word_at(rig, 0), 4);
  EXPECT_EQ(word_at(rig, 1), 4);
  EXPECT_EQ(rig.refused, 2u);
  EXPECT_EQ(rig.origin().take_failures(rig.far), 2u);
}

}  // namespace
}  // namespace comex::whole
