#include "pr/staging.h"

#include <algorithm>

#include "core/pieces.h"

namespace comex::pr {

StagingPool::Buffer StagingPool::take(Share& share) {
  const bool has_one_of_its_own = share.held == 0 && !fits_in_message_copy(piece_bytes_);
  if (out_ >= limit_ && !has_one_of_its_own) return {};
  StagingBuffer memory;
  if (free_.empty()) {
    memory = make_staging_buffer(piece_bytes_);
  } else {
    memory = std::move(free_.back());
    free_.pop_back();
  }
  ++share.held;
  peak_ = std::max(peak_, ++out_);
  return Buffer(*this, share, std::move(memory));
}

void StagingPool::give(Share& share, StagingBuffer memory) {
  --share.held;
  --out_;
  if (out_ + free_.size() < limit_) free_.push_back(std::move(memory));
}

}  // namespace comex::pr
