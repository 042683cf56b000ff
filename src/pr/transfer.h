// One body in flight: the chunks of a put, get or accumulate between an origin and the arena.
//
//   receive_in_place    chunk --> arena               contiguous put
//   receive_and_*       piece --> staging --> arena   other puts, accumulates
//   receive_and_drop    chunk --> away                refused ones
//   send_in_place       arena --> chunk               contiguous get
//   gather_and_send     arena --> staging --> piece   other gets
//   send_empty          empty chunks                  refused get
// Never waits: step() does what can be done now, at most one chunk's worth of work. A started
// transfer stays in place until it is done, and so does its header. Owned by an entry of an origin's queue
// while it runs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "core/protocol.h"
#include "kernels/striped_accumulate.h"
#include "pr/payload.h"
#include "pr/staging.h"
#include "pr/target_cursor.h"
#include "shm/arena.h"
#include "transport/transport.h"

namespace comex::pr {

enum class Step : std::uint8_t {
  nothing,
  moved,  // little work: something was posted or found complete
  chunk,  // a chunk's worth of work
};

// What all transfers of a server share.
struct TransferPlace {
  transport::Transport& transport;
  shm::Arena& arena;
  StagingPool& staging;
  // A stripe, from a dead holder.
  std::function<void(const protocol::RequestHeader&, const std::optional<Worker>&)> recovered;
};

enum class TransferMethod : std::uint8_t {
  receive_in_place,
  receive_and_scatter,
  receive_and_accumulate,
  receive_and_drop,
  send_in_place,
  gather_and_send,
  send_empty,
};

TransferMethod choose_method(const protocol::RequestHeader& header, const Payload& payload, bool is_refused);
constexpr bool is_staged(TransferMethod method) {
  return method == TransferMethod::receive_and_scatter || method == TransferMethod::receive_and_accumulate ||
         method == TransferMethod::gather_and_send;
}

// A refused stripe is asked for its holder's life now and then only: that is a system call.
inline bool is_time_to_ask(std::uint32_t refusals) {
  return refusals % 256 == 255;
}

class Transfer {
 public:
  // `own_room`: for one piece, or null; it and the header stay in place.
  Transfer(const TransferPlace& place, TransportRank peer, StagingPool::Share& share, std::byte* own_room,
           TransferMethod method, const protocol::RequestHeader& header, const Payload& payload);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Step step();
  bool is_done() const { return finished_ == chunks_; }

 private:
  struct Chunk {
    transport::Ticket ticket;
    StagingPool::Buffer pooled;
    std::byte* staged = nullptr;  // in the pool's buffer or the own room
  };

  bool take_room(Chunk& chunk);
  void give_back_room(Chunk& chunk);
  Step step_receive();
  Step step_send();
  bool has_arrived();
  Step work_off();
  bool start_receive();
  bool start_send();
  void accumulate(std::uint64_t bytes);

  std::uint64_t chunk_begin(std::uint64_t k) const { return k * header_.chunk_bytes; }
  std::uint64_t bytes_of(std::uint64_t k) const;
  Chunk& chunk(std::uint64_t k) { return ring_[k % protocol::chunks_in_flight]; }
  std::span<std::byte> place_of(std::uint64_t k);  // of a body in place

  const TransferPlace& place_;
  StagingPool::Share& share_;
  std::byte* own_room_;  // null while it is in use
  TransportRank peer_;
  TransferMethod method_;
  const protocol::RequestHeader& header_;
  TargetCursor far_;
  kernels::Accumulation accumulation_;
  std::uint64_t chunks_;
  std::uint64_t started_ = 0;
  std::uint64_t finished_ = 0;
  std::uint32_t worked_ = 0;  // bytes of the oldest chunk that have been dealt with
  std::uint32_t refusals_ = 0;
  bool oldest_is_here_ = false;
  std::array<Chunk, protocol::chunks_in_flight> ring_;
};

}  // namespace comex::pr
