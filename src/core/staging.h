// Owns the buffers for pieces of bodies that are packed or unpacked on their way. Used by pr and op/remote.
//
// A pool is bounded and filled on demand. Nobody holds more than a share of it. Where one buffer is certain,
// whoever holds none may take one even if the pool is empty, so that a peer that does not go on delays no
// other one: at most pool + peers buffers exist then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

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

class StagingPool {
 public:
  struct Limits {
    std::uint32_t pool = 0;
    std::uint32_t share = std::numeric_limits<std::uint32_t>::max();
    bool one_is_certain = false;
  };
  struct Share {  // what one peer holds
    std::uint32_t held = 0;
  };

  StagingPool(std::uint32_t piece, Limits limits) : piece_bytes_(piece), limits_(limits) {}

  bool may_take(const Share& share, std::uint32_t buffers = 1) const {
    if (share.held + buffers > limits_.share) return false;
    return out_ + buffers <= limits_.pool || (limits_.one_is_certain && share.held + buffers == 1);
  }
  // For a piece; null: none is free now.
  StagingBuffer take(Share& share) {
    if (!may_take(share)) return {};
    ++share.held;
    peak_ = std::max(peak_, ++out_);
    if (free_.empty()) return make_staging_buffer(piece_bytes_);
    StagingBuffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give_back(Share& share, StagingBuffer buffer) {
    --share.held;
    --out_;
    if (out_ + free_.size() < limits_.pool) free_.push_back(std::move(buffer));
  }
  // MPI may still use the buffers of a lost peer. They stay where they are, and nothing waits for them.
  void lose(Share& share) { out_ -= std::exchange(share.held, 0); }
  // If no buffer is in use, gives back those that were not needed since the last time.
  void tidy() {
    if (out_ == 0 && free_.size() > peak_) free_.resize(peak_);
    peak_ = out_;
  }
  std::uint32_t peak() const { return peak_; }  // in use at once since tidy()

 private:
  std::uint32_t piece_bytes_;
  Limits limits_;
  std::uint32_t out_ = 0;
  std::uint32_t peak_ = 0;
  std::vector<StagingBuffer> free_;
};

}  // namespace comex
