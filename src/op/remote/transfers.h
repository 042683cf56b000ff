// Owns the transfers: messages that hold a reply slot, and the chunks of those that have a body.
//
//   put, acc   memory -> (staging) -> at most 4 chunks with the transport -> slot held until applied
//   get        at most 4 receives posted -> (staging) -> memory, oldest first
//
// Owned by op::Remote. Remote and Batches begin transfers, and the replies end them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/staging.h"
#include "kernels/packed_side.h"
#include "nb/object_pool.h"
#include "op/remote/requests.h"
#include "op/remote/send_state.h"
#include "transport/chunk_ring.h"

namespace comex::op::remote {

// Bodies that are not contiguous at the origin are staged, in buffers of one chunk each.
inline constexpr std::uint32_t max_staged = 128;
inline constexpr std::uint32_t max_staged_per_channel = 8;

// A transfer is found by its slot. Transfers are pooled.
struct Transfer {
  Request* request = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t chunk_bytes = 0;
  protocol::Verb verb{};
  bool refused = false;  // an empty chunk or the refusal itself has come
  bool refusal_reported = false;
  bool has_body = false;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  kernels::PackedSide near;
  transport::ChunkRing<std::byte*> chunks;  // of the body; each chunk has a part of one of the buffers
  StagingBuffer buffers[protocol::chunks_in_flight];  // each takes as many chunks as fit

  Channel& channel() const { return *request->channel; }
};

class Transfers {
 public:
  Transfers(SendState& state, Requests& requests)
      : state_(state),
        requests_(requests),
        staging_(state.sizes.chunk_bytes, {.pool = max_staged, .share = max_staged_per_channel}) {}

  // Returns null if no slot is free.
  Transfer* begin(Request& request, const Header& header);
  // Returns the transfer that a reply names; null if the slot is free or of another channel.
  Transfer* of(const Channel& channel, const protocol::ReplyHeader& reply) const;
  void end(Transfer* transfer, bool failed);

  // Ask this before the header of a body is sent: a transfer must be able to finish by itself.
  bool may_begin_body(const Channel& channel, const Header& header, const kernels::PackedSide& near) const;
  void begin_body(Transfer& transfer);
  void refuse(Transfer& transfer);

  unsigned advance();  // moves bodies; returns how many chunks moved
  // Frees the slots of bodies that have left and whose numbers are applied.
  void release_applied(Channel& channel);
  // Whether a transfer found no free slot since the last call.
  bool take_out_of_slots() { return std::exchange(is_out_of_slots_, false); }

  std::size_t in_use() const { return pool_.in_use(); }
  bool is_moving() const { return !moving_.empty(); }
  void abandon() { moving_.clear(); }
  // Call this before the requests of the channel fail, which gives the memory of gets back to their callers.
  void lose(Channel& channel);
  void tidy();

 private:
  unsigned chunks_a_buffer(std::uint32_t chunk_bytes) const;
  unsigned lend_buffers(Transfer& transfer, unsigned wanted);
  unsigned move(Transfer& transfer);
  unsigned send_chunks(Transfer& transfer);
  unsigned receive_chunks(Transfer& transfer);

  SendState& state_;
  Requests& requests_;
  StagingPool staging_;
  nb::ObjectPool<Transfer> pool_;
  std::vector<Transfer*> moving_;  // with chunks to move
  bool is_out_of_slots_ = false;
};

}  // namespace comex::op::remote
