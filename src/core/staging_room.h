// Rooms for pieces of bodies that are packed or unpacked on their way, and where in them a piece lies best.
//
// Within a machine the substrate copies a body once, in the kernel, by string instructions. Some processors
// take four times as long for that where the destination lies less than 32 bytes behind the source, each
// within its page. Rooms begin with a page, so that what goes from one to another lies alike, and what is
// packed for other memory lies behind it. Used by pr and op/remote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace comex {

inline constexpr std::size_t page_of_rooms = 4096;
inline constexpr std::size_t largest_shift = 32;
inline constexpr std::size_t least_copied_in_kernel = 2 * page_of_rooms;  // the substrate sends less at once

// Of addresses, or of what lies like them in its page.
constexpr bool is_slow_copy(std::uint64_t from, std::uint64_t to) {
  const std::uint64_t behind = (to - from) % page_of_rooms;
  return behind != 0 && behind < largest_shift;
}

// Where in a room that begins with a page a piece is packed which is copied there.
constexpr std::size_t packing_shift(std::uint64_t to) {
  return is_slow_copy(0, to) ? largest_shift : 0;
}

// Small ones are packed closely: what is small is not copied by the kernel.
constexpr std::size_t room_alignment(std::size_t bytes) {
  return bytes < least_copied_in_kernel ? 64 : page_of_rooms;
}

struct FreeRoom {
  void operator()(std::byte* room) const { std::free(room); }
};
using StagingRoom = std::unique_ptr<std::byte[], FreeRoom>;

// For a piece of so many bytes at any shift. Throws std::bad_alloc.
inline StagingRoom make_staging_room(std::size_t bytes) {
  const std::size_t alignment = room_alignment(bytes);
  const std::size_t whole = (bytes + largest_shift + alignment - 1) / alignment * alignment;
  void* const room = std::aligned_alloc(alignment, whole);
  if (room == nullptr) throw std::bad_alloc();
  return StagingRoom(static_cast<std::byte*>(room));
}

}  // namespace comex
