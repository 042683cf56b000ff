// Bodies that go out: gets, and the empty chunks of refused ones.
#include <atomic>

#include "pr/transfer.h"

namespace comex::pr {

Step Transfer::step_send() {
  Step step = Step::nothing;
  if (chunks_.oldest_is_over(place_.transport)) {
    give_back_room(chunks_.oldest_room());
    chunks_.end_oldest();
    step = Step::moved;
  }
  if (chunks_.may_start() && start_send()) step = Step::chunk;
  return step;
}

bool Transfer::start_send() {
  std::span<const std::byte> body;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (method_ == TransferMethod::send_in_place) {
    body = next_place();
  } else if (method_ == TransferMethod::gather_and_send) {
    Room& room = chunks_.next_room();
    if (!take_room(room)) return false;
    far_.gather(room.staged, chunks_.next_bytes());
    body = {room.staged, chunks_.next_bytes()};
  }
  chunks_.start(place_.transport.start_send(peer_.rank, protocol::get_tag(header_.slot), body));
  return true;
}

}  // namespace comex::pr
