#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nb/object_pool.h"

namespace comex::nb {
namespace {

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
