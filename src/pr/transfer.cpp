#include "pr/transfer.h"

#include <algorithm>
#include <utility>

namespace comex::pr {
namespace {

using protocol::Verb;

std::uint64_t count_chunks(TransferMethod method, const protocol::RequestHeader& header) {
  const std::uint64_t all = (header.bytes - 1) / header.chunk_bytes + 1;
  if (method == TransferMethod::send_empty) return std::min<std::uint64_t>(all, protocol::chunks_in_flight);
  return all;
}

}  // namespace

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

Transfer::Transfer(const TransferPlace& place, TransportRank peer, StagingPool::Share& share,
                   std::byte* own_room, TransferMethod method, const protocol::RequestHeader& header,
                   const Payload& payload)
    : place_(place),
      share_(share),
      own_room_(own_room),
      peer_(peer),
      method_(method),
      header_(header),
      far_(payload, place.arena.base()),
      chunks_(count_chunks(method, header)) {
  if (method == TransferMethod::receive_and_accumulate) {
    accumulation_ = kernels::make_accumulation(header.scalar, payload.scale);
  }
}

// False: none now.
bool Transfer::take_room(Chunk& chunk) {
  if (own_room_ != nullptr) {
    chunk.staged = std::exchange(own_room_, nullptr);
    return true;
  }
  chunk.pooled = place_.staging.take(share_);
  chunk.staged = chunk.pooled.data();
  return chunk.staged != nullptr;
}

void Transfer::give_back_room(Chunk& chunk) {
  if (chunk.staged != nullptr && !chunk.pooled) own_room_ = chunk.staged;
  chunk.pooled.release();
  chunk.staged = nullptr;
}

Step Transfer::step() {
  const bool is_send = method_ == TransferMethod::send_in_place ||
                       method_ == TransferMethod::gather_and_send || method_ == TransferMethod::send_empty;
  return is_send ? step_send() : step_receive();
}

std::uint64_t Transfer::bytes_of(std::uint64_t k) const {
  return std::min<std::uint64_t>(header_.chunk_bytes, header_.bytes - chunk_begin(k));
}

std::span<std::byte> Transfer::place_of(std::uint64_t k) {
  return {place_.arena.at(header_.offset + chunk_begin(k)), bytes_of(k)};
}

}  // namespace comex::pr
