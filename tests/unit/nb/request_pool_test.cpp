#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nb/request_pool.h"

namespace comex::nb {
namespace {

TEST(SlotTable, gives_out_each_slot_once_and_never_slot_zero) {
  SlotTable slots(5);
  int owner = 0;
  for (std::uint32_t i = 1; i < 5; ++i) EXPECT_EQ(slots.take(&owner), i);
  EXPECT_EQ(slots.take(&owner), SlotTable::none);
  EXPECT_EQ(slots.available(), 0u);
  slots.forget_owner(2);
  EXPECT_EQ(slots.owner(2), nullptr);
  EXPECT_EQ(slots.take(&owner), SlotTable::none) << "still out";
  slots.give_back(2);
  EXPECT_EQ(slots.take(&owner), 2u);
  EXPECT_EQ(slots.owner(2), &owner);
  EXPECT_EQ(slots.owner(77), nullptr);
}

TEST(SlotTable, begins_again_with_the_first_slot_when_it_is_tidied_and_none_is_out) {
  SlotTable slots;
  int owner = 0;
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(&owner), i);
  for (std::uint32_t i = 3000; i > 1; --i) slots.give_back(i);
  slots.tidy();
  EXPECT_EQ(slots.owner(1), &owner) << "it is out";
  slots.give_back(1);
  slots.tidy();
  EXPECT_EQ(slots.available(), protocol::slot_count - 1);
  for (std::uint32_t i = 1; i <= 3000; ++i) EXPECT_EQ(slots.take(&owner), i);
}

TEST(ObjectPool, reuses_what_came_back_with_what_it_held) {
  ObjectPool<std::vector<int>> pool;
  std::vector<int>* first = pool.take();
  first->reserve(100);
  pool.give_back(first);
  EXPECT_EQ(pool.in_use(), 0u);
  std::vector<int>* again = pool.take();
  EXPECT_EQ(again, first);
  EXPECT_GE(again->capacity(), 100u);
}

TEST(ObjectPool, gives_back_what_was_not_needed_since_the_last_time_and_nothing_in_use) {
  ObjectPool<int> pool;
  std::vector<int*> taken(1000);
  for (int*& each : taken) each = pool.take();
  pool.tidy();
  EXPECT_GE(pool.capacity(), taken.size());
  for (int* each : taken) pool.give_back(each);
  pool.tidy();
  EXPECT_GE(pool.capacity(), taken.size()) << "it was needed";
  pool.give_back(pool.take());
  pool.tidy();
  EXPECT_LT(pool.capacity(), 100u);
  pool.give_back(pool.take());
  const std::size_t capacity = pool.capacity();
  pool.tidy();
  EXPECT_EQ(pool.capacity(), capacity) << "as many are needed again and again";
  for (int*& each : taken) *(each = pool.take()) = 1;
  std::ranges::sort(taken);
  EXPECT_EQ(std::ranges::adjacent_find(taken), taken.end()) << "given out twice";
}

}  // namespace
}  // namespace comex::nb
