// Copies of runs, rows and patches, and packing and unpacking for the pipelines.
//
// Each copies between memory the caller has checked already; none takes a lock. An aligned word of
// 1, 2, 4 or 8 bytes is stored whole. Called by the direct path (both sides strided) and by the packed
// methods of origin and server (one side strided, the other a buffer).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/patch.h"

namespace comex::kernels {

inline constexpr std::uint64_t big_copy_bytes = 2048;
inline constexpr std::uint64_t streamed_copy_bytes = std::uint64_t{64} << 20;

// From big_copy_bytes up; from streamed_copy_bytes up non-temporal, ended by a store fence. Places that
// overlap end as if by way of a buffer.
void copy_big(void* to, const void* from, std::uint64_t bytes);

inline void copy_bytes(void* to, const void* from, std::uint64_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes < big_copy_bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);  // nothing may come with null pointers
  } else {
    copy_big(to, from, bytes);
  }
}

// `count` rows of `bytes` each.
void copy_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::uint64_t bytes, std::uint64_t count);

// One side of a vector: where the addresses lie in this process, all of them off by the same shift.
struct Segments {
  void* const* addresses = nullptr;
  std::uintptr_t shift = 0;

  std::byte* at(std::uint64_t i) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(addresses[i]) + shift);
  }
};
// `count` segments of `bytes` each.
void copy_segments(const Segments& to, const Segments& from, std::uint64_t bytes, std::uint64_t count);

// Straight from one strided side to the other.
void copy_near_to_far(const Patch& patch, const std::byte* near, std::byte* far);
void copy_far_to_near(const Patch& patch, const std::byte* far, std::byte* near);

// The next `bytes` of the cursor's side of a patch, packed into `packed`. Returns the bytes packed,
// which is less only at the end.
std::uint64_t gather(RunCursor& cursor, Side side, const std::byte* base, std::byte* packed,
                     std::uint64_t bytes);

// The inverse: spreads `bytes` of `packed` over the cursor's side.
std::uint64_t scatter(RunCursor& cursor, Side side, std::byte* base, const std::byte* packed,
                      std::uint64_t bytes);

}  // namespace comex::kernels
