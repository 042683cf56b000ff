#include "core/staging.h"

#include <gtest/gtest.h>

namespace comex {
namespace {

TEST(StagingBuffer, buffers_are_aligned_and_hold_their_piece) {
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{2048}, std::size_t{8192}, std::size_t{262144}}) {
    EXPECT_GE(staging_buffer_bytes(piece), piece);
    const StagingBuffer buffer = make_staging_buffer(piece);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.get()) % cache_line, 0u) << piece;
    buffer[0] = buffer[piece - 1] = std::byte{1};  // sanitizers see what is not there
  }
}

TEST(StagingPool, gives_a_peer_its_share_and_all_of_them_the_pool) {
  StagingPool pool(64, {.pool = 3, .share = 2});
  StagingPool::Share one, other;
  EXPECT_TRUE(pool.may_take(one, 2));
  EXPECT_FALSE(pool.may_take(one, 3));
  StagingBuffer first = pool.take(one);
  const StagingBuffer second = pool.take(one);
  EXPECT_EQ(pool.take(one), nullptr) << "the share is out";
  const StagingBuffer third = pool.take(other);
  EXPECT_NE(third, nullptr);
  EXPECT_EQ(pool.take(other), nullptr) << "the pool is out";
  const std::byte* const kept = first.get();
  pool.give_back(one, std::move(first));
  EXPECT_EQ(pool.take(other).get(), kept) << "buffers are used again";
  EXPECT_EQ(pool.peak(), 3u);
}

TEST(StagingPool, that_is_empty_still_has_one_for_each_peer_where_that_is_certain) {
  StagingPool pool(64, {.pool = 1, .one_is_certain = true});
  StagingPool::Share one, other;
  const StagingBuffer first = pool.take(one);
  EXPECT_EQ(pool.take(one), nullptr);
  const StagingBuffer second = pool.take(other);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(pool.peak(), 2u);
}

TEST(StagingPool, waits_for_no_buffer_of_a_lost_peer) {
  StagingPool pool(64, {.pool = 1});
  StagingPool::Share lost, other;
  const StagingBuffer in_use = pool.take(lost);
  EXPECT_FALSE(pool.may_take(other));
  pool.lose(lost);
  EXPECT_NE(pool.take(other), nullptr);
}

TEST(StagingPool, keeps_what_was_needed_since_it_was_last_tidied) {
  StagingPool pool(64, {.pool = 2});
  StagingPool::Share share;
  StagingBuffer first = pool.take(share), second = pool.take(share);
  pool.give_back(share, std::move(first));
  pool.tidy();
  EXPECT_EQ(pool.peak(), 1u) << "one is in use";
  const std::byte* const kept = second.get();
  pool.give_back(share, std::move(second));
  pool.tidy();
  EXPECT_EQ(pool.peak(), 0u);
  StagingBuffer again = pool.take(share);
  EXPECT_NE(again.get(), kept) << "the one that was not needed is the one that went";
}

}  // namespace
}  // namespace comex
