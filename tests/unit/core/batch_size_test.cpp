#include "core/batch_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "core/pieces.h"

namespace comex {
namespace {

constexpr std::size_t header = sizeof(protocol::RequestHeader);

TEST(BatchSize, takes_small_answers_beside_a_full_message) {
  BatchSize words;
  for (int i = 0; i < 245; ++i) words = words.with(16, 8);
  EXPECT_TRUE(words.fits(protocol::message_bytes));
  EXPECT_EQ(header + words.items, protocol::message_bytes);
  EXPECT_FALSE(words.with(16, 8).fits(protocol::message_bytes));
}

TEST(BatchSize, is_full_when_the_reply_is) {
  BatchSize large;
  for (int i = 0; i < 15; ++i) large = large.with(16, 256);
  EXPECT_TRUE(large.fits(protocol::message_bytes));
  EXPECT_FALSE(large.with(16, 256).fits(protocol::message_bytes));
}

TEST(BatchSize, holds_fewer_where_messages_are_shorter) {
  BatchSize words;
  for (int i = 0; i < 147; ++i) words = words.with(16, 8);
  EXPECT_EQ(header + words.items, short_message);
  EXPECT_TRUE(words.fits(short_message));
  EXPECT_FALSE(words.with(8, 8).fits(short_message));
}

void check_every_place_to_stop(std::size_t limit) {
  std::mt19937 random(7);
  int refused_for_stops = 0;
  for (int round = 0; round < 2000; ++round) {
    BatchSize size;
    std::vector<std::pair<std::size_t, std::size_t>> items;
    const auto gets_in_ten = random() % 11;
    for (;;) {
      const std::size_t bytes = 8 * (1 + random() % 32);
      const bool is_get = random() % 10 < gets_in_ten;
      const auto item = is_get ? std::pair(std::size_t{16}, bytes) : std::pair(16 + bytes, std::size_t{0});
      const BatchSize next = size.with(item.first, item.second);
      if (!next.fits(limit)) {
        const bool is_message_full = header + next.items > limit;
        refused_for_stops += !is_message_full && next.answers <= protocol::reply_data_bytes;
        break;
      }
      size = next;
      items.push_back(item);
    }
    std::size_t to_come = size.items;
    std::size_t answers = 0;
    for (const auto& [bytes, answer] : items) {
      to_come -= bytes;
      answers += answer;
      ASSERT_LE(answers + to_come, limit);
    }
    ASSERT_LE(header + size.items, limit);
  }
  EXPECT_GT(refused_for_stops, 0);
}

TEST(BatchSize, holds_answers_so_far_and_items_to_come_at_every_place_to_stop) {
  check_every_place_to_stop(protocol::message_bytes);
  check_every_place_to_stop(short_message);
}

}  // namespace
}  // namespace comex
