// The queue of a server: what may be sent now, and what replies say about credits and slots.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "op/remote.h"

namespace comex::op {

using protocol::Verb;
using remote::Kind;

namespace {

constexpr unsigned max_staged_per_link = 8;

}  // namespace

unsigned Remote::pump(Channel& channel) {
  unsigned moved = 0;
  while (!channel.queue.empty()) {
    Request* request = channel.queue.front();
    // A request that goes out whole may end and be reused at once: off the queue first.
    const Kind kind = request->kind;
    if (!send_head(channel, *request)) break;
    channel.queue.pop_front();
    if (kind == Kind::copied) --channel.copied;
    ++moved;
  }
  return moved;
}

// False when something it needs is missing; true when all its messages have left.
bool Remote::send_head(Channel& channel, Request& request) {
  switch (request.kind) {
    case Kind::data:
      return send_data(channel, request);
    case Kind::copied:
      return send_copied(channel, request);
    case Kind::word:
      return send_word(channel, request);
    case Kind::reserved:
      return send_reserved(channel, request);
    case Kind::batch:
      break;
    case Kind::leave: {
      Header header;
      header.verb = Verb::leave;
      header.operand = request.header.operand;
      header.world = request.far.world;
      header.origin = self_;
      std::memcpy(transport_.stage(), &header, sizeof header);
      transport_.post(channel.rank, sizeof header);
      release(&request);
      return true;
    }
  }
  return true;
}

// Gives what is staged its place in the order.
void Remote::stamp(Channel& channel) {
  ++channel.sequence;
  std::memcpy(transport_.stage() + offsetof(Header, sequence), &channel.sequence, sizeof channel.sequence);
}

// `has_next`: another message to this server follows at once.
void Remote::post(Channel& channel, std::size_t bytes, bool has_next) {
  stamp(channel);
  if (has_next) {
    transport_.post_with_next(channel.rank, bytes);
  } else {
    transport_.post(channel.rank, bytes);
  }
  ++channel.sent;
}

void Remote::post_reserved(Channel& channel) {
  stamp(channel);
  transport_.post(channel.rank, sizeof(Header));
  channel.reserved_busy = true;
}

// The message that was sent last carries a fence.
void Remote::ride(Channel& channel) {
  RemoteTarget far;
  far.server = channel.rank;
  far.world = channel.world;
  Request* fence = new_request(Kind::reserved, far, nullptr);
  fence->header = {};
  fence->header.verb = Verb::fence;
  fence->sent = true;
  channel.reserved = channel.last_fence = fence;
  channel.reserved_busy = true;
}

// What every reply carries.
void Remote::note(Channel& channel, const Reply& reply) {
  ledger_.applied(channel.rank, reply.applied);
  if (reply.surrenders == channel.surrenders) channel.limit = std::max(channel.limit, reply.limit);
  release_held(channel);
}

// Gives back what is not used; one credit always stays.
void Remote::surrender(Channel& channel) {
  channel.limit = std::min(channel.limit, std::max(channel.sent + 1, std::uint64_t{1}));
  ++channel.surrenders;
  Header header;
  header.verb = Verb::surrender;
  header.world = channel.world;
  header.origin = self_;
  header.operand = channel.limit;
  std::memcpy(transport_.stage(), &header, sizeof header);
  transport_.post(channel.rank, sizeof header);
}

void Remote::release_held(Channel& channel) {
  const std::uint64_t applied = ledger_.applied(channel.rank);
  // Bodies end in any order, so numbers are only nearly sorted: a later look frees the rest.
  while (!channel.held.empty() && channel.held.front().number <= applied) {
    slots_.give_back(channel.held.front().slot);
    channel.held.pop_front();
  }
}

// Slots of bodies that have left come back when their numbers are applied, which servers with many
// credits to spare need not tell soon: ask. This fence passes the queue, whose head may be what waits.
void Remote::fence_for_slots() {
  slots_short_ = false;
  for (auto& [rank, channel] : channels_) {
    if (channel.held.empty() || channel.reserved_busy) continue;
    if (channel.batch != nullptr) close(channel);
    Header header;
    header.verb = Verb::fence;
    header.world = channel.world;
    header.origin = self_;
    header.number = ledger_.issued(rank);
    std::memcpy(transport_.stage(), &header, sizeof header);
    post_reserved(channel);
    channel.reserved = nullptr;
  }
}

bool Remote::may_stage(const Channel& channel, unsigned buffers) const {
  const std::size_t out = staging_.size() - free_staging_.size();
  return channel.staged + buffers <= max_staged_per_link && out + buffers <= remote::max_staged;
}

std::byte* Remote::take_staging(Channel& channel) {
  if (!may_stage(channel)) return nullptr;
  if (free_staging_.empty()) {
    staging_.push_back(make_staging_room(sizes_.chunk_bytes));
    free_staging_.push_back(staging_.back().get());
  }
  ++channel.staged;
  std::byte* buffer = free_staging_.back();
  free_staging_.pop_back();
  most_staging_ = std::max(most_staging_, staging_.size() - free_staging_.size());
  return buffer;
}

void Remote::give_back_staging(Channel& channel, std::byte* buffer) {
  --channel.staged;
  free_staging_.push_back(buffer);
}

}  // namespace comex::op
