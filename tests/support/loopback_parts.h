// What the rigs over the loopback transport have in common: an arena with a server, bytes to recognise, the
// plain operation.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "core/operation.h"
#include "shm/arena.h"

namespace comex::test {

inline shm::Arena make_arena(shm::Os& os, WorldId world, std::uint32_t slots) {
  shm::ArenaOptions options;
  options.geometry.slots = slots;
  options.geometry.servers = 1;
  options.geometry.reservation_bytes = 64 << 20;
  options.world = world;
  Result<shm::Arena> made = shm::Arena::create(os, options);
  EXPECT_TRUE(static_cast<bool>(made));
  EXPECT_TRUE(static_cast<bool>(made->map_anywhere()));
  return std::move(made).value();
}

// Zeros that belong to a worker.
inline std::byte* allocate_in(shm::Arena& arena, Worker owner, std::uint64_t bytes) {
  Result<shm::Extent> extent = arena.extents().allocate(owner, bytes);
  EXPECT_TRUE(static_cast<bool>(extent));
  std::byte* const first = arena.at(extent->offset);
  std::memset(first, 0, bytes);
  return first;
}

inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    out[i] = static_cast<std::byte>((i * 31 + seed * 97 + i / 251) & 0xff);
  return out;
}

inline Operation contiguous(Action action, void* near, std::byte* far, std::uint64_t bytes) {
  Operation operation;
  operation.action = action;
  operation.near = static_cast<std::byte*>(near);
  operation.far = far;
  operation.patch = contiguous_patch(bytes);
  return operation;
}

}  // namespace comex::test
