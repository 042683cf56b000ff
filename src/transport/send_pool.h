// Buffers of one length, to be filled with messages and sent.
//
// A few free ones are kept for the next messages: within a machine, MPI holds about half of them for a while.
// If slow receivers keep more buffers busy, the surplus later goes back to the heap, so that what a process
// holds for good does not grow with the size of the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace comex::transport {

// The number of message buffers to keep. In the largest jobs, a process has no memory to spare.
constexpr std::size_t kept_messages(std::uint64_t ranks) {
  return ranks <= 65'536 ? 16 : 2;
}
inline constexpr std::size_t kept_bundles = 2;

class SendPool {
 public:
  using Buffer = std::unique_ptr<std::byte[]>;

  SendPool(std::size_t buffer_bytes, std::size_t kept) : buffer_bytes_(buffer_bytes), kept_(kept) {
    free_.reserve(kept);
  }

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  std::size_t free() const { return free_.size(); }

  Buffer take() {
    if (free_.empty()) return std::make_unique_for_overwrite<std::byte[]>(buffer_bytes_);
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }

  void give_back(Buffer buffer) {
    if (free_.size() < kept_) free_.push_back(std::move(buffer));
  }

 private:
  std::size_t buffer_bytes_;
  std::size_t kept_;
  std::vector<Buffer> free_;
};

}  // namespace comex::transport
