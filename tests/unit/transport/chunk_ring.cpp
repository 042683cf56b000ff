// Where chunks lie, how many are under way, and which buffer each has.
#include "transport/chunk_ring.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace comex::transport {
namespace {

TEST(ChunkRing, cuts_a_body_into_chunks_of_which_the_last_is_the_rest) {
  ChunkRing<int> ring;
  ring.begin(10, 4, 2);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seen;
  while (!ring.is_done()) {
    for (; ring.may_start(); ring.start({})) seen.emplace_back(ring.next_begin(), ring.next_bytes());
    ring.end_oldest();
  }
  EXPECT_EQ(seen, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{0, 4}, {4, 4}, {8, 2}}));
}

TEST(ChunkRing, places_chunks_beyond_4_gib) {
  ChunkRing<int> ring;
  constexpr std::uint64_t bytes = (std::uint64_t{5} << 30) + 3;
  constexpr std::uint32_t chunk = 1 << 20;
  ring.begin(bytes, chunk, 1);
  std::uint64_t begin = 0;
  for (; !ring.is_done(); ring.end_oldest()) {
    ASSERT_EQ(ring.next_begin(), begin);
    begin += ring.next_bytes();
    ring.start({});
  }
  EXPECT_EQ(begin, bytes);
}

TEST(ChunkRing, has_no_more_under_way_than_its_depth) {
  ChunkRing<int> ring;
  ring.begin(100, 1, 3);
  for (int started = 0; started < 3; ++started) {
    ASSERT_TRUE(ring.may_start());
    ring.start({});
  }
  EXPECT_FALSE(ring.may_start());
  ring.end_oldest();
  EXPECT_TRUE(ring.may_start());
}

TEST(ChunkRing, gives_the_buffer_of_the_oldest_chunk_to_the_next) {
  ChunkRing<int> ring;
  ring.begin(6, 2, 2);
  for (unsigned index = 0; index < 2; ++index) ring.buffer(index) = 10 + static_cast<int>(index);
  EXPECT_EQ(ring.next_buffer(), 10);
  ring.start({});
  EXPECT_EQ(ring.next_buffer(), 11);
  ring.start({});
  EXPECT_EQ(ring.oldest_buffer(), 10);
  ring.end_oldest();
  EXPECT_EQ(ring.next_buffer(), 10);
  EXPECT_EQ(ring.oldest_buffer(), 11);
}

TEST(ChunkRing, of_few_chunks_is_done_after_them) {
  ChunkRing<int> ring;
  ring.begin(1000, 1);
  ring.cut_to(2);
  for (int chunk = 0; chunk < 2; ++chunk) {
    ring.start({});
    EXPECT_FALSE(ring.is_done());
    ring.end_oldest();
  }
  EXPECT_TRUE(ring.is_done());
  EXPECT_TRUE(ring.is_empty());
  EXPECT_FALSE(ring.may_start());
}

}  // namespace
}  // namespace comex::transport
