// Buffers for the pieces of bodies that cannot be received or sent in place, or not well.
//
// A bounded pool, filled on demand. Every origin may hold one buffer even when the pool is empty, so
// origins that do not take their data delay nobody else: at most pool + origins buffers exist. The least
// pieces have that one room elsewhere (core/pieces.h): then there is the pool only.
// What nobody wants is received into one place, however many do it at once: they wait for nobody.
// Used by transfers; one Share belongs to each origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/staging_room.h"

namespace comex::pr {

class StagingPool {
 public:
  struct Share {  // what one origin holds
    std::uint32_t held = 0;
  };

  // Owns one buffer; gives it back.
  class Buffer {
   public:
    Buffer() = default;
    Buffer(StagingPool& pool, Share& share, StagingRoom room)
        : pool_(&pool), share_(&share), room_(std::move(room)) {}
    Buffer(Buffer&&) = default;
    Buffer& operator=(Buffer&& other) noexcept {
      release();
      pool_ = other.pool_;
      share_ = other.share_;
      room_ = std::move(other.room_);
      return *this;
    }
    ~Buffer() { release(); }
    void release() {
      if (room_) pool_->give(*share_, std::move(room_));
    }
    explicit operator bool() const { return room_ != nullptr; }
    std::byte* data() const { return room_.get(); }  // of a piece at any shift

   private:
    StagingPool* pool_ = nullptr;
    Share* share_ = nullptr;
    StagingRoom room_;
  };

  StagingPool(std::uint32_t piece, std::uint32_t buffers, std::uint32_t chunk)
      : piece_bytes_(piece), limit_(buffers), chunk_bytes_(chunk) {}

  Buffer take(Share& share);  // of a piece; empty: none to be had now
  std::byte* drain();         // of a chunk; what is there is never looked at
  std::uint32_t out() const { return out_; }
  std::uint32_t spare() const { return out_ < limit_ ? limit_ - out_ : 0; }  // of the pool
  std::uint32_t peak() const { return peak_; }

 private:
  void give(Share& share, StagingRoom room);

  std::uint32_t piece_bytes_;
  std::uint32_t limit_;
  std::uint32_t chunk_bytes_;
  std::uint32_t out_ = 0;
  std::uint32_t peak_ = 0;
  std::vector<StagingRoom> free_;
  std::unique_ptr<std::byte[]> drain_;
};

}  // namespace comex::pr
