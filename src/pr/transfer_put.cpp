// Bodies that come in: puts and accumulates, and those that are only drained.
#include <atomic>

#include "pr/transfer.h"

namespace comex::pr {

Step Transfer::step_receive() {
  Step step = Step::nothing;
  if (has_arrived()) step = work_off();
  while (chunks_.may_start() && start_receive()) {
    if (step == Step::nothing) step = Step::moved;
  }
  return step;
}

bool Transfer::start_receive() {
  std::span<std::byte> to;
  if (method_ == TransferMethod::receive_in_place) {
    to = next_place();
  } else if (method_ == TransferMethod::receive_and_drop) {
    to = {place_.staging.drain(), chunks_.next_bytes()};
  } else {
    Room& room = chunks_.next_room();
    if (!take_room(room)) return false;
    to = {room.staged, chunks_.next_bytes()};
  }
  chunks_.start(place_.transport.start_receive(peer_.rank, protocol::put_tag(header_.slot), to));
  return true;
}

// The oldest one.
bool Transfer::has_arrived() {
  if (oldest_is_here_) return true;
  std::size_t received = 0;
  if (!chunks_.oldest_is_over(place_.transport, &received)) return false;
  COMEX_BUG_IF(received != chunks_.oldest_bytes());
  return oldest_is_here_ = true;
}

// Nothing: a stripe is busy and others get their turn.
Step Transfer::work_off() {
  Room& oldest = chunks_.oldest_room();
  const std::uint32_t bytes = chunks_.oldest_bytes();
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
  chunks_.end_oldest();
  return Step::chunk;
}

void Transfer::accumulate(std::uint64_t bytes) {
  shm::BlockLocks locks(place_.arena.stripes());
  locks.ask_for_life(is_time_to_ask(refusals_));
  const std::byte* rest = chunks_.oldest_room().staged + worked_;
  worked_ += static_cast<std::uint32_t>(far_.try_accumulate(locks, accumulation_, rest, bytes - worked_));
  refusals_ = worked_ == bytes ? 0 : refusals_ + 1;
  if (locks.is_recovered() && place_.recovered) place_.recovered(header_, {});
}

}  // namespace comex::pr
