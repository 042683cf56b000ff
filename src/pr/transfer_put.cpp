// Bodies that come in: puts and accumulates, and those that are only drained.
#include <atomic>

#include "pr/transfer.h"

namespace comex::pr {

Step Transfer::step_receive() {
  Step step = Step::nothing;
  if (finished_ < started_ && has_arrived()) step = work_off();
  while (started_ < chunks_ && started_ - finished_ < protocol::chunks_in_flight && start_receive()) {
    if (step == Step::nothing) step = Step::moved;
  }
  return step;
}

bool Transfer::start_receive() {
  Chunk& next = chunk(started_);
  std::span<std::byte> room;
  if (method_ == TransferMethod::receive_in_place) {
    room = place_of(started_);
  } else if (method_ == TransferMethod::receive_and_drop) {
    room = {place_.staging.drain(), bytes_of(started_)};
  } else {
    if (!take_room(next)) return false;
    room = {next.staged, bytes_of(started_)};
  }
  next.ticket = place_.transport.start_receive(peer_, protocol::put_tag(header_.slot), room);
  ++started_;
  return true;
}

// The oldest one.
bool Transfer::has_arrived() {
  if (oldest_is_here_) return true;
  std::size_t received = 0;
  if (!place_.transport.done(chunk(finished_).ticket, &received)) return false;
  COMEX_BUG_IF(received != bytes_of(finished_));
  return oldest_is_here_ = true;
}

// Nothing: a stripe is busy and others get their turn.
Step Transfer::work_off() {
  Chunk& oldest = chunk(finished_);
  const std::uint64_t bytes = bytes_of(finished_);
  if (method_ == TransferMethod::receive_and_scatter) far_.scatter(oldest.staged, bytes);
  if (method_ == TransferMethod::receive_and_accumulate) {
    const std::uint32_t before = worked_;
    accumulate(bytes);
    if (worked_ != bytes) return worked_ == before ? Step::nothing : Step::chunk;
  }
  std::atomic_thread_fence(std::memory_order_release);
  give_back_room(oldest);
  oldest_is_here_ = false;
  worked_ = 0;
  ++finished_;
  return Step::chunk;
}

void Transfer::accumulate(std::uint64_t bytes) {
  shm::BlockLocks locks(place_.arena.stripes());
  locks.ask_for_life(is_time_to_ask(refusals_));
  const std::byte* rest = chunk(finished_).staged + worked_;
  worked_ += static_cast<std::uint32_t>(far_.try_accumulate(locks, accumulation_, rest, bytes - worked_));
  refusals_ = worked_ == bytes ? 0 : refusals_ + 1;
  if (locks.is_recovered() && place_.recovered) place_.recovered(header_, {});
}

}  // namespace comex::pr
