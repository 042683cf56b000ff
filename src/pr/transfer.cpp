#include "pr/transfer.h"
#include "shm/locks/block_locks.h"

#include <atomic>
#include <utility>

namespace comex::pr {

using protocol::Verb;

BodyTransfer::BodyTransfer(const TransferPlace& place, const TransferPeer& peer, TransferMethod method,
                           const protocol::RequestHeader& header, const Payload& payload)
    : place_(place),
      peer_(peer),
      method_(method),
      header_(header),
      far_(far_side(payload, place.arena.base())) {
  // What is dropped comes one chunk at a time, because MPI has each receive own its bytes.
  const bool is_refused = method == TransferMethod::refused;
  const bool is_dropped = is_refused && !sends();
  chunks_.begin(header.bytes, header.chunk_bytes, is_dropped ? 1 : protocol::chunks_in_flight);
  if (is_dropped) dropped_ = make_staging_buffer(chunks_.next_bytes());
  if (is_refused && sends()) chunks_.cut_to(protocol::chunks_in_flight);
  if (!is_refused && header.verb == Verb::acc) {
    accumulation_ = kernels::make_accumulation(header.scalar, payload.scale, header.combine());
  }
}

// Returns false if no staging is free now.
bool BodyTransfer::take_buffer(ChunkBuffer& buffer) {
  if (peer_.own_buffer != nullptr) {
    buffer.staged = std::exchange(peer_.own_buffer, nullptr);
    return true;
  }
  buffer.pooled = place_.staging.take(peer_.share);
  buffer.staged = buffer.pooled.get();
  return buffer.staged != nullptr;
}

void BodyTransfer::give_back_buffer(ChunkBuffer& buffer) {
  if (buffer.pooled) {
    place_.staging.give_back(peer_.share, std::move(buffer.pooled));
  } else if (buffer.staged != nullptr) {
    peer_.own_buffer = buffer.staged;
  }
  buffer.staged = nullptr;
}

TransferStep BodyTransfer::step() {
  return sends() ? step_send() : step_receive();
}

bool BodyTransfer::give_up() {
  if (sends()) return chunks_.is_empty();
  bool is_free = true;
  for (; !chunks_.is_empty(); chunks_.end_oldest()) {
    if (!std::exchange(oldest_is_here_, false) && !chunks_.give_up_oldest(place_.transport)) {
      is_free = false;
    } else {
      give_back_buffer(chunks_.oldest_buffer());
    }
  }
  return is_free;
}

activity::Obstacle BodyTransfer::obstacle() const {
  using enum activity::Obstacle;
  if (oldest_is_here_) return lock;
  if (chunks_.is_empty()) return staging;
  return sends() ? taker : body;
}

std::span<std::byte> BodyTransfer::next_place() const {
  return {place_.arena.at(header_.offset + chunks_.next_begin()), chunks_.next_bytes()};
}

// Sends the body of a get, or the empty chunks of a refused one.
TransferStep BodyTransfer::step_send() {
  TransferStep step = TransferStep::nothing;
  while (chunks_.try_take_oldest(place_.transport)) {
    give_back_buffer(chunks_.oldest_buffer());
    chunks_.end_oldest();
    step = TransferStep::moved;
  }
  if (chunks_.may_start() && start_send()) step = TransferStep::chunk;
  return step;
}

bool BodyTransfer::start_send() {
  std::span<const std::byte> body;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (method_ == TransferMethod::in_place) {
    body = next_place();
  } else if (method_ == TransferMethod::staged) {
    ChunkBuffer& buffer = chunks_.next_buffer();
    if (!take_buffer(buffer)) return false;
    far_.gather(buffer.staged, chunks_.next_bytes());
    body = {buffer.staged, chunks_.next_bytes()};
  }
  chunks_.start(place_.transport.start_send(peer_.rank, protocol::get_tag(header_.slot), body));
  return true;
}

// Receives the body of a put or an accumulate, or drains it.
TransferStep BodyTransfer::step_receive() {
  TransferStep step = TransferStep::nothing;
  if (has_arrived()) step = work_off();
  while (chunks_.may_start() && start_receive()) {
    if (step == TransferStep::nothing) step = TransferStep::moved;
  }
  return step;
}

bool BodyTransfer::start_receive() {
  std::span<std::byte> to;
  if (method_ == TransferMethod::in_place) {
    to = next_place();
  } else if (method_ == TransferMethod::refused) {
    to = {dropped_.get(), chunks_.next_bytes()};
  } else {
    ChunkBuffer& buffer = chunks_.next_buffer();
    if (!take_buffer(buffer)) return false;
    to = {buffer.staged, chunks_.next_bytes()};
  }
  chunks_.start(place_.transport.start_receive(peer_.rank, protocol::put_tag(header_.slot), to));
  return true;
}

bool BodyTransfer::has_arrived() {
  if (oldest_is_here_) return true;
  std::size_t received = 0;
  if (!chunks_.try_take_oldest(place_.transport, &received)) return false;
  COMEX_BUG_IF(received != chunks_.oldest_bytes());
  return oldest_is_here_ = true;
}

// Returns TransferStep::nothing if a stripe is busy, so that other transfers get their turn.
TransferStep BodyTransfer::work_off() {
  ChunkBuffer& oldest = chunks_.oldest_buffer();
  const std::uint32_t bytes = chunks_.oldest_bytes();
  const bool is_staged = method_ == TransferMethod::staged;
  if (is_staged && header_.verb == Verb::put) far_.scatter(oldest.staged, bytes);
  if (is_staged && header_.verb == Verb::acc) {
    const std::uint32_t before = worked_;
    accumulate(bytes);
    if (worked_ != bytes) return worked_ == before ? TransferStep::nothing : TransferStep::chunk;
  }
  std::atomic_thread_fence(std::memory_order_release);
  give_back_buffer(oldest);
  oldest_is_here_ = false;
  worked_ = 0;
  chunks_.end_oldest();
  return TransferStep::chunk;
}

void BodyTransfer::accumulate(std::uint64_t bytes) {
  shm::BlockLocks locks(place_.arena.stripes());
  locks.ask_for_life(is_time_to_ask(refusals_));
  const std::byte* rest = chunks_.oldest_buffer().staged + worked_;
  worked_ += static_cast<std::uint32_t>(far_.try_accumulate(locks, accumulation_, rest, bytes - worked_));
  refusals_ = worked_ == bytes ? 0 : refusals_ + 1;
  if (locks.is_recovered() && place_.recovered) place_.recovered(header_, {});
}

}  // namespace comex::pr
