#include "pr/transfer.h"

#include <utility>

namespace comex::pr {

using protocol::Verb;

TransferMethod choose_method(const protocol::RequestHeader& header, const Payload& payload, bool is_refused) {
  const bool is_in_place = !needs_staging(header, payload);
  if (header.verb == Verb::get) {
    if (is_refused) return TransferMethod::send_empty;
    return is_in_place ? TransferMethod::send_in_place : TransferMethod::gather_and_send;
  }
  if (is_refused) return TransferMethod::receive_and_drop;
  if (header.verb == Verb::acc) return TransferMethod::receive_and_accumulate;
  return is_in_place ? TransferMethod::receive_in_place : TransferMethod::receive_and_scatter;
}

Transfer::Transfer(const TransferPlace& place, const TransferPeer& peer, TransferMethod method,
                   const protocol::RequestHeader& header, const Payload& payload)
    : place_(place), peer_(peer), method_(method), header_(header), far_(payload, place.arena.base()) {
  chunks_.begin(header.bytes, header.chunk_bytes);
  if (method == TransferMethod::send_empty) chunks_.cut_to(protocol::chunks_in_flight);
  if (method == TransferMethod::receive_and_accumulate) {
    accumulation_ = kernels::make_accumulation(header.scalar, payload.scale);
  }
}

// False: none now.
bool Transfer::take_room(Room& room) {
  if (peer_.own_room != nullptr) {
    room.staged = std::exchange(peer_.own_room, nullptr);
    return true;
  }
  room.pooled = place_.staging.take(peer_.share);
  room.staged = room.pooled.data();
  return room.staged != nullptr;
}

void Transfer::give_back_room(Room& room) {
  if (room.staged != nullptr && !room.pooled) peer_.own_room = room.staged;
  room.pooled.release();
  room.staged = nullptr;
}

Step Transfer::step() {
  const bool is_send = method_ == TransferMethod::send_in_place ||
                       method_ == TransferMethod::gather_and_send || method_ == TransferMethod::send_empty;
  return is_send ? step_send() : step_receive();
}

std::span<std::byte> Transfer::next_place() const {
  return {place_.arena.at(header_.offset + chunks_.next_begin()), chunks_.next_bytes()};
}

}  // namespace comex::pr
