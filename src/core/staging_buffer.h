// Memory for one piece of a body that is packed or unpacked on its way. Used by pr and op/remote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "core/status.h"

namespace comex {

struct FreeBuffer {
  void operator()(std::byte* buffer) const { std::free(buffer); }
};
using StagingBuffer = std::unique_ptr<std::byte[], FreeBuffer>;

inline constexpr std::size_t cache_line = 64;
// The bytes of memory that a piece of this size takes.
constexpr std::size_t staging_buffer_bytes(std::size_t piece) {
  return (piece + cache_line - 1) / cache_line * cache_line;
}

// Without memory it ends the process with a line.
inline StagingBuffer make_staging_buffer(std::size_t piece) {
  void* const buffer = std::aligned_alloc(cache_line, staging_buffer_bytes(piece));
  if (buffer == nullptr) out_of_memory(staging_buffer_bytes(piece), "data on its way");
  return StagingBuffer(static_cast<std::byte*>(buffer));
}

}  // namespace comex
