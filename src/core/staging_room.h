// Rooms for pieces of bodies that are packed or unpacked on their way, and where in them a piece lies best.
//
// Within a machine the substrate copies a long body once, in the kernel, by string instructions. Some
// processors take four times as long for that where the destination lies less than 32 bytes behind the
// source, each within its page. So a room has so much to spare: what lies badly at its begin lies well behind
// it. Used by pr and op/remote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace comex {

inline constexpr std::size_t page_of_rooms = 4096;
inline constexpr std::size_t largest_shift = 32;

inline std::uint64_t place_in_page(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % page_of_rooms;
}

// Of addresses, or of what lies like them in its page.
constexpr bool is_slow_copy(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t behind = (to - from) % page_of_rooms;
  return behind != 0 && behind < largest_shift;
}

// How far behind the begin of a room a piece lies well, whichever of the two the room is.
constexpr std::size_t room_shift(std::uint64_t from, std::uint64_t to) {
  return is_slow_copy(from, to) ? largest_shift : 0;
}

struct FreeRoom {
  void operator()(std::byte* room) const { std::free(room); }
};
using StagingRoom = std::unique_ptr<std::byte[], FreeRoom>;

inline constexpr std::size_t cache_line = 64;
// Of a room for a piece of so many bytes at any shift.
constexpr std::size_t room_bytes(std::size_t piece, std::size_t alignment = cache_line) {
  return (piece + largest_shift + alignment - 1) / alignment * alignment;
}

// Throws std::bad_alloc.
inline StagingRoom make_staging_room(std::size_t piece, std::size_t alignment = cache_line) {
  void* const room = std::aligned_alloc(alignment, room_bytes(piece, alignment));
  if (room == nullptr) throw std::bad_alloc();
  return StagingRoom(static_cast<std::byte*>(room));
}

}  // namespace comex
