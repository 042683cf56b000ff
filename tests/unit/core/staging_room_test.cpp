#include "core/staging_room.h"

#include <gtest/gtest.h>

namespace comex {
namespace {

TEST(StagingRoom, rooms_are_aligned_and_hold_their_piece) {
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{2048}, std::size_t{8192}, std::size_t{262144}}) {
    EXPECT_GE(room_bytes(piece), piece);
    const StagingRoom room = make_staging_room(piece);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.get()) % cache_line, 0u) << piece;
    room[0] = room[piece - 1] = std::byte{1};  // sanitizers see what is not there
  }
}

}  // namespace
}  // namespace comex
