#include "op/near_side.h"

#include "core/status.h"
#include "kernels/copy.h"

namespace comex::op {

std::byte* NearSide::contiguous() const {
  const auto* bytes = std::get_if<Bytes>(&memory_);
  return bytes == nullptr ? nullptr : bytes->first + bytes->position;
}

void NearSide::skip(std::uint64_t bytes) {
  auto* memory = std::get_if<Bytes>(&memory_);
  COMEX_BUG_IF(memory == nullptr);
  memory->position += bytes;
}

void NearSide::gather(std::byte* packed, std::uint64_t bytes) {
  if (auto* memory = std::get_if<Bytes>(&memory_)) {
    kernels::copy_bytes(packed, memory->first + memory->position, bytes);
    memory->position += bytes;
  } else if (auto* strided = std::get_if<Strided>(&memory_)) {
    kernels::gather(strided->cursor, Side::near, strided->first, packed, bytes);
  } else {
    auto& segments = std::get<SegmentCursor>(memory_);
    while (bytes > 0) {
      const Segment segment = segments.next(bytes);
      COMEX_BUG_IF(segment.bytes == 0);
      kernels::copy_bytes(packed, segment.near, segment.bytes);
      packed += segment.bytes;
      bytes -= segment.bytes;
    }
  }
}

void NearSide::scatter(const std::byte* packed, std::uint64_t bytes) {
  if (auto* memory = std::get_if<Bytes>(&memory_)) {
    kernels::copy_bytes(memory->first + memory->position, packed, bytes);
    memory->position += bytes;
  } else if (auto* strided = std::get_if<Strided>(&memory_)) {
    kernels::scatter(strided->cursor, Side::near, strided->first, packed, bytes);
  } else {
    auto& segments = std::get<SegmentCursor>(memory_);
    while (bytes > 0) {
      const Segment segment = segments.next(bytes);
      COMEX_BUG_IF(segment.bytes == 0);
      kernels::copy_bytes(segment.near, packed, segment.bytes);
      packed += segment.bytes;
      bytes -= segment.bytes;
    }
  }
}

}  // namespace comex::op
