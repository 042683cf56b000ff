#include "transport/send_pool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace comex::transport {
namespace {

constexpr std::size_t buffer_bytes = 100;
constexpr std::size_t kept = 3;

TEST(SendPool, keeps_a_few_of_the_buffers_that_come_back) {
  SendPool pool(buffer_bytes, kept);
  EXPECT_EQ(pool.free(), 0U);
  std::vector<SendPool::Buffer> busy;
  for (std::size_t i = 0; i < 10 * kept; ++i) {
    busy.push_back(pool.take());
    std::memset(busy.back().get(), static_cast<int>(i), pool.buffer_bytes());
  }
  EXPECT_EQ(pool.free(), 0U);
  for (SendPool::Buffer& each : busy) pool.give_back(std::move(each));
  EXPECT_EQ(pool.free(), kept);
}

TEST(SendPool, lends_the_last_one_again) {
  SendPool pool(buffer_bytes, kept);
  SendPool::Buffer first = pool.take();
  const std::byte* const place = first.get();
  pool.give_back(std::move(first));
  EXPECT_EQ(pool.free(), 1U);
  EXPECT_EQ(pool.take().get(), place);
  EXPECT_EQ(pool.free(), 0U);
}

}  // namespace
}  // namespace comex::transport
