#include "core/staging_room.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace comex {
namespace {

TEST(StagingRoom, a_copy_is_slow_to_less_than_32_bytes_behind_its_source_in_a_page) {
  for (const std::uint64_t from : {std::uint64_t{0}, std::uint64_t{16}, std::uint64_t{4080}}) {
    EXPECT_FALSE(is_slow_copy(from, from));
    EXPECT_TRUE(is_slow_copy(from, from + 1));
    EXPECT_TRUE(is_slow_copy(from, from + 31));
    EXPECT_TRUE(is_slow_copy(from, (from + 8) % page_of_rooms));
    EXPECT_FALSE(is_slow_copy(from, from + 32));
    EXPECT_FALSE(is_slow_copy(from + 8, from));
    EXPECT_TRUE(is_slow_copy(from, from + 7 * page_of_rooms + 16));
  }
}

TEST(StagingRoom, in_any_room_there_is_a_good_place_for_any_other_end) {
  for (const std::uint64_t room :
       {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{4032}, std::uint64_t{4080}}) {
    for (std::uint64_t other = 0; other < 2 * page_of_rooms; ++other) {
      const std::size_t packed = room_shift(room, other);
      const std::size_t received = room_shift(other, room);
      EXPECT_FALSE(is_slow_copy(room + packed, other)) << room << ", " << other;
      EXPECT_FALSE(is_slow_copy(other, room + received)) << room << ", " << other;
      EXPECT_LE(packed, largest_shift);
      EXPECT_LE(received, largest_shift);
    }
  }
}

TEST(StagingRoom, rooms_are_aligned_and_have_the_shift_to_spare) {
  for (const std::size_t alignment : {cache_line, page_of_rooms}) {
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{2048}, std::size_t{8192}, std::size_t{262144}}) {
      EXPECT_GE(room_bytes(piece, alignment), piece + largest_shift);
      const StagingRoom room = make_staging_room(piece, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.get()) % alignment, 0u) << piece;
      room[0] = room[piece + largest_shift - 1] = std::byte{1};  // sanitizers see what is not there
    }
  }
}

}  // namespace
}  // namespace comex
