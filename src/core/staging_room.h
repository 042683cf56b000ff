// Memory for one piece of a body that is packed or unpacked on its way. Used by pr and op/remote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace comex {

struct FreeRoom {
  void operator()(std::byte* room) const { std::free(room); }
};
using StagingRoom = std::unique_ptr<std::byte[], FreeRoom>;

inline constexpr std::size_t cache_line = 64;
// The bytes of memory that a piece of this size takes.
constexpr std::size_t room_bytes(std::size_t piece) {
  return (piece + cache_line - 1) / cache_line * cache_line;
}

// Throws std::bad_alloc.
inline StagingRoom make_staging_room(std::size_t piece) {
  void* const room = std::aligned_alloc(cache_line, room_bytes(piece));
  if (room == nullptr) throw std::bad_alloc();
  return StagingRoom(static_cast<std::byte*>(room));
}

}  // namespace comex
