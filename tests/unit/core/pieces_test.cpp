#include "core/pieces.h"

#include <gtest/gtest.h>

#include "core/patch.h"
#include "core/scalar.h"

namespace comex {
namespace {

constexpr std::uint64_t mib = 1 << 20;

TEST(Pieces, are_whole_chunks_while_the_reserve_holds_one_for_every_origin) {
  EXPECT_EQ(piece_bytes(256 * 1024, 2, 256 * mib), 256u * 1024);
  EXPECT_EQ(piece_bytes(256 * 1024, 1024, 256 * mib), 256u * 1024);
  EXPECT_EQ(piece_bytes(100000, 10, mib), 100000u) << "whatever a chunk is";
  EXPECT_EQ(piece_bytes(4096, 65536, 256 * mib), 4096u);
}

TEST(Pieces, are_powers_of_two_beyond) {
  EXPECT_EQ(piece_bytes(256 * 1024, 1025, 256 * mib), 128u * 1024);
  EXPECT_EQ(piece_bytes(256 * 1024, 10000, 256 * mib), 16u * 1024);
  EXPECT_EQ(piece_bytes(100000, 11, mib), 65536u);
  EXPECT_EQ(piece_bytes(256 * 1024, 65536, 256 * mib), 4096u);
}

TEST(Pieces, have_a_least_size_that_lies_beside_its_message) {
  EXPECT_EQ(piece_bytes(256 * 1024, 65537, 256 * mib), smallest_piece);
  EXPECT_EQ(piece_bytes(256 * 1024, 1'000'000, 256 * mib), smallest_piece);
  EXPECT_EQ(piece_bytes(4096, 1, 0), smallest_piece);
  EXPECT_TRUE(fits_in_message_copy(smallest_piece));
  EXPECT_FALSE(fits_in_message_copy(2 * smallest_piece));
}

TEST(Pieces, have_shorter_messages_beside_them_where_they_are_least) {
  EXPECT_EQ(message_limit(2 * smallest_piece), protocol::message_bytes);
  EXPECT_EQ(message_limit(smallest_piece), short_message);
  constexpr std::size_t longest_layout =
      sizeof(protocol::StridedLayout) + (2 * max_stride_levels + 1) * sizeof(std::uint64_t);
  EXPECT_GE(short_message, smallest_piece + sizeof(protocol::RequestHeader) + sizeof(Scale) + longest_layout);
}

TEST(Pieces, of_all_origins_that_need_room_of_their_own_fit_into_the_reserve) {
  for (const std::uint64_t reserve : {std::uint64_t{0}, mib, 3 * mib, 256 * mib}) {
    for (std::uint64_t origins = 1; origins < 3'000'000; origins += origins / 7 + 1) {
      const std::uint32_t piece = piece_bytes(256 * 1024, origins, reserve);
      ASSERT_EQ(piece % 16, 0u) << "whole elements";
      ASSERT_TRUE(fits_in_message_copy(piece) || origins * piece <= reserve) << origins;
    }
  }
}

}  // namespace
}  // namespace comex
