#include "core/staging_buffer.h"

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

}  // namespace
}  // namespace comex
