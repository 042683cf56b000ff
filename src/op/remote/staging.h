// Owns buffers of one chunk each, which stage the bodies that are not contiguous at the origin.
//
// Buffers are made when they are needed and kept until tidy(). No server may take more than its share of
// them. Owned by Transfers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/staging_buffer.h"
#include "op/remote/channel.h"

namespace comex::op::remote {

inline constexpr std::size_t max_staged = 128;

class Staging {
 public:
  explicit Staging(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}

  bool may_take(const Channel& channel, unsigned buffers = 1) const {
    return channel.staged + buffers <= max_staged_per_channel && in_use() + buffers <= max_staged;
  }
  // Returns null if no buffer is to be had now.
  std::byte* take(Channel& channel) {
    if (!may_take(channel)) return nullptr;
    if (free_.empty()) {
      buffers_.push_back(make_staging_buffer(buffer_bytes_));
      free_.push_back(buffers_.back().get());
    }
    ++channel.staged;
    std::byte* const buffer = free_.back();
    free_.pop_back();
    most_ = std::max(most_, in_use());
    return buffer;
  }
  void give_back(Channel& channel, std::byte* buffer) {
    --channel.staged;
    free_.push_back(buffer);
  }
  // MPI may still use the buffers of a lost server. They stay as they are, and nothing waits for them.
  void lose(Channel& channel) {
    lost_ += channel.staged;
    channel.staged = 0;
  }
  // If no buffer is in use, gives back those that were not needed since the last time.
  void tidy() {
    if (in_use() == 0 && lost_ == 0 && buffers_.size() > most_) {
      buffers_.resize(most_);
      free_.clear();
      for (const auto& buffer : buffers_) free_.push_back(buffer.get());
    }
    most_ = in_use();
  }

 private:
  static constexpr unsigned max_staged_per_channel = 8;
  std::size_t in_use() const { return buffers_.size() - free_.size() - lost_; }

  std::size_t buffer_bytes_;
  std::vector<StagingBuffer> buffers_;
  std::vector<std::byte*> free_;
  std::size_t lost_ = 0;  // of lost servers
  std::size_t most_ = 0;  // in use at once since tidy()
};

}  // namespace comex::op::remote
