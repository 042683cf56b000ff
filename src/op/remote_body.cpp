// Transfers: messages that hold a slot, and the chunks of those that have a body.
//
//   put, acc   memory -> (staging) -> at most 4 chunks with the transport -> slot held until applied
//   get        at most 4 receives posted -> (staging) -> memory, oldest first
#include <algorithm>
#include <utility>

#include "op/remote.h"

namespace comex::op {

using protocol::Verb;

// Null when no slot is free.
Remote::Transfer* Remote::new_transfer(Channel& channel, Request& request, const Header& header) {
  if (slots_.available() == 0) {
    slots_short_ = true;
    return nullptr;
  }
  Transfer* transfer = transfers_.take();
  transfer->request = &request;
  transfer->channel = &channel;
  transfer->slot = slots_.take(transfer);
  transfer->verb = header.verb;
  transfer->number = 0;
  transfer->bytes = header.bytes;
  transfer->chunk_bytes = header.chunk_bytes;
  transfer->refused = transfer->refusal_told = transfer->has_body = false;
  transfer->begun = transfer->finished = 0;
  transfer->depth = transfer->head = transfer->in_flight = 0;
  ++request.parts;
  ++channel.transfers;
  return transfer;
}

// At the same time.
unsigned Remote::chunks_under_way(std::uint64_t bytes, std::uint32_t chunk_bytes) {
  const std::uint64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
  return static_cast<unsigned>(std::min<std::uint64_t>(chunks, protocol::chunks_in_flight));
}

unsigned Remote::chunks_a_buffer(std::uint32_t chunk_bytes) const {
  return std::max(sizes_.chunk_bytes / chunk_bytes, 1u);
}

// So many, before a body that is not contiguous here may begin. Who gets posts all receives of the chunks
// under way at first, whatever comes: a refusal fills each of them.
unsigned Remote::buffers_wanted(const Header& header) const {
  if (header.verb != Verb::get) return 1;
  const unsigned chunks = chunks_under_way(header.bytes, header.chunk_bytes);
  const unsigned a_buffer = chunks_a_buffer(header.chunk_bytes);
  return (chunks + a_buffer - 1) / a_buffer;
}

void Remote::begin_body(Channel& channel, Transfer& transfer) {
  const unsigned wanted = chunks_under_way(transfer.bytes, transfer.chunk_bytes);
  transfer.depth = wanted;
  if (transfer.near.contiguous() == nullptr) {
    const unsigned a_buffer = chunks_a_buffer(transfer.chunk_bytes);
    unsigned depth = 0;
    for (unsigned chunk = 0; chunk < wanted; ++chunk) {
      std::byte*& buffer = transfer.buffers[chunk / a_buffer];
      if (buffer == nullptr) buffer = take_staging(channel);
      if (buffer == nullptr) break;
      transfer.chunks[chunk].staging = buffer + std::size_t{chunk % a_buffer} * transfer.chunk_bytes;
      ++depth;
    }
    COMEX_BUG_IF(depth == 0 || (transfer.verb == Verb::get && depth != wanted));
    transfer.depth = depth;
  }
  transfer.has_body = true;
  ++channel.bodies;
  moving_.push_back(&transfer);
  move_body(transfer);
}

unsigned Remote::move_body(Transfer& transfer) {
  return transfer.verb == Verb::get ? receive_chunks(transfer) : send_chunks(transfer);
}

unsigned Remote::send_chunks(Transfer& transfer) {
  unsigned moved = 0;
  while (transfer.in_flight > 0 && transport_.done(transfer.chunks[transfer.head].ticket)) {
    transfer.finished += transfer.chunks[transfer.head].bytes;
    transfer.head = (transfer.head + 1) % transfer.depth;
    --transfer.in_flight;
    ++moved;
  }
  while (transfer.in_flight < transfer.depth && transfer.begun < transfer.bytes) {
    auto& chunk = transfer.chunks[(transfer.head + transfer.in_flight) % transfer.depth];
    chunk.bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(transfer.chunk_bytes, transfer.bytes - transfer.begun));
    std::byte* from = transfer.near.contiguous();
    if (from == nullptr) {
      from = chunk.staging;
      transfer.near.gather(from, chunk.bytes);
    } else {
      transfer.near.skip(chunk.bytes);
    }
    // However small chunks are, few of them may stand in the server's MPI before it wants them.
    const bool is_first = transfer.begun < std::uint64_t{transfer.chunk_bytes} * protocol::chunks_in_flight;
    const int tag = protocol::put_tag(transfer.slot);
    chunk.ticket = is_first ? transport_.start_send(transfer.channel->rank, tag, {from, chunk.bytes})
                            : transport_.start_matched_send(transfer.channel->rank, tag, {from, chunk.bytes});
    transfer.begun += chunk.bytes;
    ++transfer.in_flight;
    ++moved;
  }
  if (transfer.finished == transfer.bytes) end_transfer(&transfer, transfer.refusal_told);
  return moved;
}

unsigned Remote::receive_chunks(Transfer& transfer) {
  unsigned moved = 0;
  std::size_t received = 0;
  while (transfer.in_flight > 0 && transport_.done(transfer.chunks[transfer.head].ticket, &received)) {
    auto& chunk = transfer.chunks[transfer.head];
    COMEX_BUG_IF(received != 0 && received != chunk.bytes);
    if (received == 0) {
      transfer.refused = true;
    } else if (chunk.staging != nullptr) {
      transfer.near.scatter(chunk.staging, received);
    }
    transfer.finished += received;
    transfer.head = (transfer.head + 1) % transfer.depth;
    --transfer.in_flight;
    ++moved;
  }
  while (!transfer.refused && transfer.in_flight < transfer.depth && transfer.begun < transfer.bytes) {
    auto& chunk = transfer.chunks[(transfer.head + transfer.in_flight) % transfer.depth];
    chunk.bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(transfer.chunk_bytes, transfer.bytes - transfer.begun));
    std::byte* to = transfer.near.contiguous();
    if (to == nullptr) {
      to = chunk.staging;
    } else {
      transfer.near.skip(chunk.bytes);
    }
    chunk.ticket =
        transport_.start_receive(transfer.channel->rank, protocol::get_tag(transfer.slot), {to, chunk.bytes});
    transfer.begun += chunk.bytes;
    ++transfer.in_flight;
    ++moved;
  }
  const bool refusal_over = transfer.refusal_told && transfer.in_flight == 0;
  if (transfer.finished == transfer.bytes || refusal_over) end_transfer(&transfer, refusal_over);
  return moved;
}

// All of it has left or arrived. The tag of a put stays in use at the server until it is applied.
void Remote::end_transfer(Transfer* transfer, bool failed) {
  Channel& channel = *transfer->channel;
  if (transfer->has_body) {
    for (auto& chunk : transfer->chunks) chunk.staging = nullptr;
    for (std::byte*& buffer : transfer->buffers) {
      if (buffer != nullptr) give_back_staging(channel, std::exchange(buffer, nullptr));
    }
    --channel.bodies;
    const auto mine = std::find(moving_.begin(), moving_.end(), transfer);
    *mine = moving_.back();
    moving_.pop_back();
  }
  const std::uint32_t slot = transfer->slot;
  if (transfer->number != 0) {
    slots_.forget_owner(slot);
    channel.held.push_back({transfer->number, slot});
    release_held(channel);
  } else {
    slots_.give_back(slot);
  }
  Request* request = transfer->request;
  transfers_.give_back(transfer);
  --channel.transfers;
  --request->parts;
  part_done(request, failed);
}

}  // namespace comex::op
