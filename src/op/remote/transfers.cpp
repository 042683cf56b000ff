#include "op/remote/transfers.h"

#include <algorithm>
#include <utility>

namespace comex::op::remote {

using protocol::Verb;

namespace {

// Returns how many chunks of a body are under way at the same time.
unsigned chunks_under_way(std::uint64_t bytes, std::uint32_t chunk_bytes) {
  const std::uint64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
  return static_cast<unsigned>(std::min<std::uint64_t>(chunks, protocol::chunks_in_flight));
}

}  // namespace

Transfer* Transfers::begin(Request& request, const Header& header) {
  if (state_.slots.available() == 0) {
    is_out_of_slots_ = true;
    return nullptr;
  }
  Transfer* const transfer = pool_.take();
  transfer->request = &request;
  transfer->slot = state_.slots.take(transfer);
  transfer->verb = header.verb;
  transfer->number = 0;
  transfer->bytes = header.bytes;
  transfer->chunk_bytes = header.chunk_bytes;
  transfer->refused = transfer->refusal_reported = transfer->has_body = false;
  ++request.parts;
  ++request.channel->transfers;
  return transfer;
}

Transfer* Transfers::of(const Channel& channel, const protocol::ReplyHeader& reply) const {
  Transfer* const* const transfer = state_.slots.find(reply.slot);
  const bool is_to_channel =
      transfer != nullptr && *transfer != nullptr && &(*transfer)->channel() == &channel;
  return is_to_channel ? *transfer : nullptr;
}

unsigned Transfers::chunks_a_buffer(std::uint32_t chunk_bytes) const {
  return std::max(state_.sizes.chunk_bytes / chunk_bytes, 1u);
}

// A get first posts the receives of all chunks under way, because a refusal fills each of them.
bool Transfers::may_begin_body(const Channel& channel, const Header& header,
                               const kernels::PackedSide& near) const {
  if (near.contiguous() != nullptr) return true;
  if (header.verb != Verb::get) return staging_.may_take(channel.staged);
  const unsigned chunks = chunks_under_way(header.bytes, header.chunk_bytes);
  const unsigned a_buffer = chunks_a_buffer(header.chunk_bytes);
  return staging_.may_take(channel.staged, (chunks + a_buffer - 1) / a_buffer);
}

// Lends buffers to as many chunks as there are buffers for, and returns their number.
unsigned Transfers::lend_buffers(Transfer& transfer, unsigned wanted) {
  const unsigned a_buffer = chunks_a_buffer(transfer.chunk_bytes);
  for (unsigned chunk = 0; chunk < wanted; ++chunk) {
    StagingBuffer& buffer = transfer.buffers[chunk / a_buffer];
    if (buffer == nullptr) buffer = staging_.take(transfer.channel().staged);
    if (buffer == nullptr) return chunk;
    transfer.chunks.buffer(chunk) = buffer.get() + std::size_t{chunk % a_buffer} * transfer.chunk_bytes;
  }
  return wanted;
}

void Transfers::begin_body(Transfer& transfer) {
  const unsigned wanted = chunks_under_way(transfer.bytes, transfer.chunk_bytes);
  unsigned depth = wanted;
  if (transfer.near.contiguous() == nullptr) {
    depth = lend_buffers(transfer, wanted);
    COMEX_BUG_IF(depth == 0 || (transfer.verb == Verb::get && depth != wanted));
  }
  transfer.chunks.begin(transfer.bytes, transfer.chunk_bytes, depth);
  transfer.has_body = true;
  ++transfer.channel().bodies;
  moving_.push_back(&transfer);
  move(transfer);
}

unsigned Transfers::move(Transfer& transfer) {
  return transfer.verb == Verb::get ? receive_chunks(transfer) : send_chunks(transfer);
}

unsigned Transfers::send_chunks(Transfer& transfer) {
  auto& chunks = transfer.chunks;
  unsigned moved = 0;
  for (; chunks.try_take_oldest(state_.transport); ++moved) chunks.end_oldest();
  for (; chunks.may_start(); ++moved) {
    const std::uint32_t bytes = chunks.next_bytes();
    std::byte* from = transfer.near.contiguous();
    if (from == nullptr) {
      from = chunks.next_buffer();
      transfer.near.gather(from, bytes);
    } else {
      transfer.near.skip(bytes);
    }
    // This bounds unexpected messages at the server: the first chunks are sent in standard mode, later ones
    // in synchronous mode.
    const bool is_first =
        chunks.next_begin() < std::uint64_t{transfer.chunk_bytes} * protocol::chunks_in_flight;
    const int tag = protocol::put_tag(transfer.slot);
    const TransportRank to = transfer.channel().rank;
    chunks.start(is_first ? state_.transport.start_send(to, tag, {from, bytes})
                          : state_.transport.start_synchronous_send(to, tag, {from, bytes}));
  }
  if (chunks.is_done()) end(&transfer, transfer.refusal_reported);
  return moved;
}

unsigned Transfers::receive_chunks(Transfer& transfer) {
  auto& chunks = transfer.chunks;
  unsigned moved = 0;
  std::size_t received = 0;
  for (; chunks.try_take_oldest(state_.transport, &received); ++moved) {
    COMEX_BUG_IF(received != 0 && received != chunks.oldest_bytes());
    if (received == 0) {
      transfer.refused = true;
    } else if (transfer.buffers[0] != nullptr) {
      transfer.near.scatter(chunks.oldest_buffer(), received);
    }
    chunks.end_oldest();
  }
  for (; !transfer.refused && chunks.may_start(); ++moved) {
    const std::uint32_t bytes = chunks.next_bytes();
    std::byte* to = transfer.near.contiguous();
    if (to == nullptr) {
      to = chunks.next_buffer();
    } else {
      transfer.near.skip(bytes);
    }
    const int tag = protocol::get_tag(transfer.slot);
    chunks.start(state_.transport.start_receive(transfer.channel().rank, tag, {to, bytes}));
  }
  const bool is_over = transfer.refused ? transfer.refusal_reported && chunks.is_empty() : chunks.is_done();
  if (is_over) end(&transfer, transfer.refused);
  return moved;
}

void Transfers::lose(Channel& channel) {
  staging_.lose(channel.staged);
  std::erase_if(moving_, [&](Transfer* each) {
    if (&each->channel() != &channel) return false;
    for (; each->verb == Verb::get && !each->chunks.is_empty(); each->chunks.end_oldest())
      each->chunks.give_up_oldest(state_.transport);
    return true;
  });
}

void Transfers::refuse(Transfer& transfer) {
  transfer.refused = transfer.refusal_reported = true;
  if (transfer.has_body) {
    receive_chunks(transfer);
  } else {
    end(&transfer, true);
  }
}

// The whole body has left or arrived. The tag of a put stays in use at the server until it is applied.
void Transfers::end(Transfer* transfer, bool failed) {
  Request* const request = transfer->request;
  Channel& channel = *request->channel;
  if (transfer->verb == Verb::rmw) {
    const Header& header = std::get<WordRequest>(request->what).header;
    if ((header.flags & protocol::non_blocking) != 0) --channel.atomics;
  }
  if (transfer->has_body) {
    for (StagingBuffer& buffer : transfer->buffers) {
      if (buffer != nullptr) staging_.give_back(channel.staged, std::move(buffer));
    }
    --channel.bodies;
    const auto mine = std::find(moving_.begin(), moving_.end(), transfer);
    *mine = moving_.back();
    moving_.pop_back();
  }
  if (transfer->number != 0) {
    state_.slots.at(transfer->slot) = nullptr;
    channel.slots_until_applied.push_back({transfer->number, transfer->slot});
    release_applied(channel);
  } else {
    state_.slots.give_back(transfer->slot);
  }
  pool_.give_back(transfer);
  --channel.transfers;
  --request->parts;
  requests_.part_done(request, failed);
}

unsigned Transfers::advance() {
  unsigned moved = 0;
  for (std::size_t i = 0; i < moving_.size();) {
    Transfer* const transfer = moving_[i];
    moved += move(*transfer);
    // A transfer that ended has removed itself from the list.
    if (i < moving_.size() && moving_[i] == transfer) ++i;
  }
  return moved;
}

void Transfers::release_applied(Channel& channel) {
  // Bodies end in any order, so the numbers are only nearly sorted: a later call frees the rest.
  while (!channel.slots_until_applied.empty() &&
         channel.slots_until_applied.front().number <= channel.applied) {
    state_.slots.give_back(channel.slots_until_applied.front().slot);
    channel.slots_until_applied.pop_front();
  }
}

void Transfers::tidy() {
  pool_.tidy();
  staging_.tidy();
  nb::give_back_capacity(moving_);
}

}  // namespace comex::op::remote
