// Copies runs, rows and patches; packs and unpacks bodies of messages.
//
// The caller has checked the memory, and no function takes a lock. An aligned word of 1, 2, 4 or 8 bytes is
// stored whole. Used by the direct path (both sides strided) and by the packed methods of origin and server
// (one side strided, the other a buffer).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/patch.h"

namespace comex::kernels {

inline constexpr std::uint64_t big_copy_bytes = 2048;
inline constexpr std::uint64_t streamed_copy_bytes = std::uint64_t{64} << 20;

// For big_copy_bytes or more. From streamed_copy_bytes up, its stores are non-temporal and end with a store
// fence. Places may overlap, as in copy_bytes().
void copy_big(void* to, const void* from, std::uint64_t bytes);

// Stores the word whole. A copy of a size that is not constant may read or write it twice.
template <class Word>
void copy_word(void* to, const void* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
}

inline void copy_up_to_4(void* to, const void* from, std::uint64_t bytes) {
  switch (bytes) {
    case 4:
      return copy_word<std::uint32_t>(to, from);
    case 3:
      std::memmove(to, from, 3);
      return;
    case 2:
      return copy_word<std::uint16_t>(to, from);
    case 1:
      return copy_word<std::uint8_t>(to, from);
    default:  // pointers may be null if there are no bytes
      return;
  }
}

// Both sides may be the caller's own memory, so overlapping places end up as if copied through a buffer.
inline void copy_bytes(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 8) {
    copy_word<std::uint64_t>(to, from);
  } else if (bytes <= 4) {
    copy_up_to_4(to, from, bytes);
  } else if (bytes < big_copy_bytes) {
    std::memmove(to, from, bytes);
  } else {
    copy_big(to, from, bytes);
  }
}

// Copies `count` rows of `bytes` each.
void copy_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::uint64_t bytes, std::uint64_t count);

// One side of a vector: the addresses of its segments in this process, all shifted by the same distance.
struct Segments {
  void* const* addresses = nullptr;
  std::uintptr_t shift = 0;

  std::byte* at(std::uint64_t i) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(addresses[i]) + shift);
  }
};
// Copies `count` segments of `bytes` each.
void copy_segments(const Segments& to, const Segments& from, std::uint64_t bytes, std::uint64_t count);

// Copies directly from one strided side to the other.
void copy_near_to_far(const Patch& patch, const std::byte* near, std::byte* far);
void copy_far_to_near(const Patch& patch, const std::byte* far, std::byte* near);

}  // namespace comex::kernels
