// The chunks of one body, of which a few are with the transport at once, and the oldest ends first.
//
// It counts chunks, says where each lies in the body, and keeps the ticket and the buffer of those under way.
// It moves nothing itself: its owner takes or fills the buffer, starts the chunk and looks at the oldest one.
// Used by op/remote and pr/transfer for bodies in both directions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/protocol.h"
#include "transport/transport.h"

namespace comex::transport {

template <class Buffer>
class ChunkRing {
 public:
  struct Chunk {
    Ticket ticket;
    Buffer buffer{};
  };

  // At most `depth` are under way at once.
  void begin(std::uint64_t bytes, std::uint32_t chunk_bytes, unsigned depth = protocol::chunks_in_flight) {
    bytes_ = bytes;
    chunk_bytes_ = chunk_bytes;
    chunks_ = (bytes - 1) / chunk_bytes + 1;
    depth_ = depth;
    started_ = finished_ = 0;
  }
  // Limits the body to its first `chunks` chunks.
  void cut_to(std::uint64_t chunks) { chunks_ = std::min(chunks_, chunks); }

  bool is_done() const { return finished_ == chunks_; }
  bool is_empty() const { return finished_ == started_; }
  bool may_start() const { return started_ < chunks_ && started_ - finished_ < depth_; }

  std::uint64_t next_begin() const { return started_ * chunk_bytes_; }  // in the body
  std::uint32_t next_bytes() const { return bytes_of(started_); }
  std::uint32_t oldest_bytes() const { return bytes_of(finished_); }
  Buffer& next_buffer() { return ring_[started_ % depth_].buffer; }
  Buffer& oldest_buffer() { return ring_[finished_ % depth_].buffer; }
  Buffer& buffer(unsigned index) { return ring_[index].buffer; }

  void start(Ticket ticket) { ring_[started_++ % depth_].ticket = ticket; }
  // True if the oldest chunk under way is complete; that spends its ticket, so end_oldest() has to follow.
  bool try_take_oldest(Transport& transport, std::size_t* received = nullptr) {
    return !is_empty() && transport.done(ring_[finished_ % depth_].ticket, received);
  }
  void end_oldest() { ++finished_; }
  // Of receives, before end_oldest(). Returns false if MPI may still write to its memory.
  bool give_up_oldest(Transport& transport) { return transport.give_up(ring_[finished_ % depth_].ticket); }

 private:
  std::uint32_t bytes_of(std::uint64_t chunk) const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(chunk_bytes_, bytes_ - chunk * chunk_bytes_));
  }

  std::uint64_t bytes_ = 0;
  std::uint64_t chunks_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t finished_ = 0;
  std::uint32_t chunk_bytes_ = 0;
  unsigned depth_ = 1;
  Chunk ring_[protocol::chunks_in_flight];
};

}  // namespace comex::transport
