// Bodies that go out: gets, and the empty chunks of refused ones.
#include <atomic>

#include "pr/transfer.h"

namespace comex::pr {

Step Transfer::step_send() {
  Step step = Step::nothing;
  if (finished_ < started_ && place_.transport.done(chunk(finished_).ticket)) {
    give_back_room(chunk(finished_));
    ++finished_;
    step = Step::moved;
  }
  const bool has_room = started_ - finished_ < protocol::chunks_in_flight;
  if (started_ < chunks_ && has_room && start_send()) step = Step::chunk;
  return step;
}

bool Transfer::start_send() {
  Chunk& next = chunk(started_);
  std::span<const std::byte> body;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (method_ == TransferMethod::send_in_place) {
    body = place_of(started_);
  } else if (method_ == TransferMethod::gather_and_send) {
    if (!take_room(next)) return false;
    std::byte* const packed = next.staged;
    far_.gather(packed, bytes_of(started_));
    body = {packed, bytes_of(started_)};
  }
  next.ticket = place_.transport.start_send(peer_, protocol::get_tag(header_.slot), body);
  ++started_;
  return true;
}

}  // namespace comex::pr
