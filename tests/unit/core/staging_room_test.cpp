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

TEST(StagingRoom, what_is_packed_for_any_place_is_copied_well) {
  for (std::uint64_t to = 0; to < 2 * page_of_rooms; ++to) {
    EXPECT_FALSE(is_slow_copy(packing_shift(to), to)) << to;
    EXPECT_LE(packing_shift(to), largest_shift);
  }
}

TEST(StagingRoom, rooms_begin_with_a_page_and_are_written_to_their_end) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{2048}, std::size_t{8192}, std::size_t{262144}}) {
    const StagingRoom room = make_staging_room(bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(room.get());
    EXPECT_EQ(address % (bytes < least_copied_in_kernel ? 64 : page_of_rooms), 0u) << bytes;
    room[0] = room[bytes + largest_shift - 1] = std::byte{1};  // sanitizers see what is not there
  }
}

}  // namespace
}  // namespace comex
