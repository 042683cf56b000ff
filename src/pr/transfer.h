// Moves the body of one put, get or accumulate in chunks between an origin and the arena.
//
//   in_place   chunk --> arena                contiguous put
//              arena --> chunk                contiguous get
//   staged     piece --> staging --> arena    other puts, accumulates
//              arena --> staging --> piece    other gets
//   refused    chunk --> dropped              put or accumulate
//              empty chunks                   get
//
// step() never waits: it does at most one chunk's worth of work. A started transfer and its header stay in
// place until it is done. An entry in the queue of an origin owns it while it runs.
#pragma once

#include <cstdint>
#include <functional>

#include "core/activity.h"
#include "core/protocol.h"
#include "core/staging.h"
#include "kernels/striped_accumulate.h"
#include "pr/payload.h"
#include "shm/arena.h"
#include "transport/chunk_ring.h"
#include "transport/transport.h"

namespace comex::pr {

enum class TransferStep : std::uint8_t {
  nothing,
  moved,  // little work: something was posted or found complete
  chunk,  // a chunk's worth of work
};

// What the transfers of a server for one world share.
struct TransferPlace {
  transport::Transport& transport;
  shm::Arena& arena;
  StagingPool& staging;
  // Called when a stripe was taken over from a dead holder.
  std::function<void(const protocol::RequestHeader&, const std::optional<Worker>&)> recovered;
};

enum class TransferMethod : std::uint8_t { in_place, staged, refused };

// Whether the holder of a busy stripe lives is asked now and then only: that is a system call.
inline bool is_time_to_ask(std::uint32_t busy_tries) {
  return busy_tries % 256 == 255;
}

// The origin of a transfer, and the staging that the transfer may use.
struct TransferPeer {
  TransportRank rank = no_rank;
  StagingPool::Share& share;
  std::byte* own_buffer = nullptr;  // for one piece; null: there is none, or it is in use
};

class BodyTransfer {
 public:
  // The header and the own buffer have to stay in place.
  BodyTransfer(const TransferPlace& place, const TransferPeer& peer, TransferMethod method,
               const protocol::RequestHeader& header, const Payload& payload);
  BodyTransfer(const BodyTransfer&) = delete;
  BodyTransfer& operator=(const BodyTransfer&) = delete;

  TransferStep step();
  bool is_done() const { return chunks_.is_done(); }
  activity::Obstacle obstacle() const;  // after a step that did nothing
  // The origin is lost: the transfer ends where it is, and no step may follow. False if MPI may still use its
  // memory, in which the transfer and its header have to stay.
  bool give_up();

 private:
  struct ChunkBuffer {
    StagingBuffer pooled;  // null: `staged` is the own buffer
    std::byte* staged = nullptr;
  };

  bool sends() const { return header_.verb == protocol::Verb::get; }
  bool take_buffer(ChunkBuffer& buffer);
  void give_back_buffer(ChunkBuffer& buffer);
  TransferStep step_receive();
  TransferStep step_send();
  bool has_arrived();
  TransferStep work_off();
  bool start_receive();
  bool start_send();
  void accumulate(std::uint64_t bytes);

  std::span<std::byte> next_place() const;  // of a body in place

  const TransferPlace& place_;
  TransferPeer peer_;
  TransferMethod method_;
  const protocol::RequestHeader& header_;
  kernels::PackedSide far_;
  kernels::Accumulation accumulation_;
  transport::ChunkRing<ChunkBuffer> chunks_;
  StagingBuffer dropped_;     // for a chunk of a refused body, which nobody reads
  std::uint32_t worked_ = 0;  // bytes of the oldest chunk that have been dealt with
  std::uint32_t refusals_ = 0;
  bool oldest_is_here_ = false;
};

}  // namespace comex::pr
