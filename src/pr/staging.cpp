#include "pr/staging.h"

#include <algorithm>
#include <utility>

#include "core/pieces.h"

namespace comex::pr {

StagingBuffer StagingPool::take(Share& share) {
  const bool has_one_of_its_own = share.held == 0 && !fits_in_message_copy(piece_bytes_);
  if (out_ >= limit_ && !has_one_of_its_own) return {};
  ++share.held;
  peak_ = std::max(peak_, ++out_);
  if (free_.empty()) return make_staging_buffer(piece_bytes_);
  StagingBuffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void StagingPool::give_back(Share& share, StagingBuffer buffer) {
  --share.held;
  --out_;
  if (out_ + free_.size() < limit_) free_.push_back(std::move(buffer));
}

}  // namespace comex::pr
