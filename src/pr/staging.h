// Owns the staging buffers for pieces that cannot be received or sent in place.
//
// The pool is bounded and filled on demand. Every origin may hold one buffer even if the pool is empty, so
// that an origin that leaves its data delays no other one: at most pool + origins buffers exist. Origins with
// the least pieces have that memory elsewhere (core/pieces.h) and use the pool only. Transfers use the pool;
// each origin has a Share of it. A refused body has a buffer of its own, for one chunk at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/staging_buffer.h"

namespace comex::pr {

class StagingPool {
 public:
  struct Share {  // what one origin holds
    std::uint32_t held = 0;
  };

  StagingPool(std::uint32_t piece, std::uint32_t buffers) : piece_bytes_(piece), limit_(buffers) {}

  StagingBuffer take(Share& share);  // for a piece; null: none is free now
  void give_back(Share& share, StagingBuffer buffer);
  std::uint32_t peak() const { return peak_; }

 private:
  std::uint32_t piece_bytes_;
  std::uint32_t limit_;
  std::uint32_t out_ = 0;
  std::uint32_t peak_ = 0;
  std::vector<StagingBuffer> free_;
};

}  // namespace comex::pr
