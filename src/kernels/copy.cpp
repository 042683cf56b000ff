#include "kernels/copy.h"

namespace comex::kernels {
namespace {

template <std::size_t n>
void rows_of(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
             std::uint64_t count) {
  for (; count != 0; --count, to += to_stride, from += from_stride) std::memcpy(to, from, n);
}

// Copies rows of n to 2n bytes by two copies of n bytes that overlap in the middle.
template <std::size_t n>
void rows_from(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::uint64_t bytes, std::uint64_t count) {
  const std::uint64_t second = bytes - n;
  for (; count != 0; --count, to += to_stride, from += from_stride) {
    std::byte head[n];
    std::byte tail[n];
    std::memcpy(head, from, n);
    std::memcpy(tail, from + second, n);
    std::memcpy(to, head, n);
    std::memcpy(to + second, tail, n);
  }
}

void small_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
                std::uint64_t bytes, std::uint64_t count) {
  switch (bytes) {
    case 1:
      return rows_of<1>(to, to_stride, from, from_stride, count);
    case 2:
      return rows_of<2>(to, to_stride, from, from_stride, count);
    case 4:
      return rows_of<4>(to, to_stride, from, from_stride, count);
    case 8:
      return rows_of<8>(to, to_stride, from, from_stride, count);
    case 16:
      return rows_of<16>(to, to_stride, from, from_stride, count);
    case 32:
      return rows_of<32>(to, to_stride, from, from_stride, count);
    case 64:
      return rows_of<64>(to, to_stride, from, from_stride, count);
    default:
      break;
  }
  if (bytes < 4) return rows_from<2>(to, to_stride, from, from_stride, bytes, count);
  if (bytes < 8) return rows_from<4>(to, to_stride, from, from_stride, bytes, count);
  if (bytes < 16) return rows_from<8>(to, to_stride, from, from_stride, bytes, count);
  if (bytes < 32) return rows_from<16>(to, to_stride, from, from_stride, bytes, count);
  rows_from<32>(to, to_stride, from, from_stride, bytes, count);
}

template <std::size_t n>
void segments_of(const Segments& to, const Segments& from, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) std::memcpy(to.at(i), from.at(i), n);
}

}  // namespace

void copy_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
               std::uint64_t bytes, std::uint64_t count) {
  if (bytes == 0) return;
  if (bytes <= 64) return small_rows(to, to_stride, from, from_stride, bytes, count);
  for (; count != 0; --count, to += to_stride, from += from_stride) copy_bytes(to, from, bytes);
}

void copy_segments(const Segments& to, const Segments& from, std::uint64_t bytes, std::uint64_t count) {
  if (bytes == 8) return segments_of<8>(to, from, count);
  if (bytes == 16) return segments_of<16>(to, from, count);
  for (std::uint64_t i = 0; i < count; ++i) copy_bytes(to.at(i), from.at(i), bytes);
}

void copy_near_to_far(const Patch& patch, const std::byte* near, std::byte* far) {
  for_each_rows(patch, [=](const Rows& rows) {
    copy_rows(far + rows.far_offset, rows.far_stride, near + rows.near_offset, rows.near_stride, rows.bytes,
              rows.count);
  });
}

void copy_far_to_near(const Patch& patch, const std::byte* far, std::byte* near) {
  for_each_rows(patch, [=](const Rows& rows) {
    copy_rows(near + rows.near_offset, rows.near_stride, far + rows.far_offset, rows.far_stride, rows.bytes,
              rows.count);
  });
}

}  // namespace comex::kernels
