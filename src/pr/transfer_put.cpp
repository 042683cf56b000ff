// Bodies that come in: puts and accumulates, and those that are only drained.
#include <atomic>

#include "pr/transfer.h"

namespace comex::pr {

Step Transfer::step_receive() {
  Step step = Step::nothing;
  if (finished_ < started_ && arrived(chunk(finished_))) step = work_off(chunk(finished_));
  while (started_ < chunks_ && started_ - finished_ < protocol::chunks_in_flight && start_receive()) {
    if (step == Step::nothing) step = Step::moved;
  }
  return step;
}

bool Transfer::start_receive() {
  Chunk& next = chunk(started_);
  std::span<std::byte> room;
  if (method_ == Method::receive_in_place) {
    room = place_of(started_);
  } else {
    next.staged = place_.staging.take(share_);
    if (!next.staged) return false;
    room = {next.staged.data(), bytes_of(started_)};
  }
  next.has_arrived = false;
  next.worked = 0;
  next.ticket = place_.transport.start_receive(peer_, protocol::put_tag(header_.slot), room);
  ++started_;
  return true;
}

bool Transfer::arrived(Chunk& chunk) {
  if (chunk.has_arrived) return true;
  std::size_t received = 0;
  if (!place_.transport.done(chunk.ticket, &received)) return false;
  COMEX_BUG_IF(received != bytes_of(finished_));
  chunk.has_arrived = true;
  return true;
}

// Nothing: a stripe is busy and others get their turn.
Step Transfer::work_off(Chunk& chunk) {
  const std::uint64_t bytes = bytes_of(finished_);
  const std::uint64_t before = chunk.worked;
  if (method_ == Method::receive_and_scatter) far_.scatter(chunk.staged.data(), bytes);
  if (method_ == Method::receive_and_accumulate) {
    accumulate(chunk, bytes);
    if (chunk.worked != bytes) return chunk.worked == before ? Step::nothing : Step::chunk;
  }
  std::atomic_thread_fence(std::memory_order_release);
  chunk.staged.release();
  ++finished_;
  return Step::chunk;
}

void Transfer::accumulate(Chunk& chunk, std::uint64_t bytes) {
  shm::BlockLocks locks(place_.arena.stripes());
  locks.ask_for_life(is_time_to_ask(refusals_));
  const std::byte* rest = chunk.staged.data() + chunk.worked;
  chunk.worked += far_.try_accumulate(locks, accumulation_, rest, bytes - chunk.worked);
  refusals_ = chunk.worked == bytes ? 0 : refusals_ + 1;
  if (locks.is_recovered() && place_.recovered) place_.recovered(header_, {});
}

}  // namespace comex::pr
