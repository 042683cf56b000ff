#include "pr/staging.h"

#include <algorithm>

namespace comex::pr {

StagingPool::Buffer StagingPool::take(Share& share) {
  if (out_ >= limit_ && share.held != 0) return {};
  std::unique_ptr<std::byte[]> bytes;
  if (free_.empty()) {
    bytes = std::make_unique_for_overwrite<std::byte[]>(buffer_bytes_);
  } else {
    bytes = std::move(free_.back());
    free_.pop_back();
  }
  ++share.held;
  peak_ = std::max(peak_, ++out_);
  return Buffer(*this, share, std::move(bytes));
}

void StagingPool::give(Share& share, std::unique_ptr<std::byte[]> bytes) {
  --share.held;
  --out_;
  if (out_ + free_.size() < limit_) free_.push_back(std::move(bytes));
}

}  // namespace comex::pr
