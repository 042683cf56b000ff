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

unsigned Remote::pump(Link& link) {
  unsigned moved = 0;
  while (!link.queue.empty()) {
    Request* request = link.queue.front();
    // A request that goes out whole may end and be reused at once: off the queue first.
    const Kind kind = request->kind;
    if (!send_head(link, *request)) break;
    link.queue.pop_front();
    if (kind == Kind::copied) --link.copied;
    ++moved;
  }
  return moved;
}

// False when something it needs is missing; true when all its messages have left.
bool Remote::send_head(Link& link, Request& request) {
  switch (request.kind) {
    case Kind::data:
      return send_data(link, request);
    case Kind::copied:
      return send_copied(link, request);
    case Kind::word:
      return send_word(link, request);
    case Kind::reserved:
      return send_reserved(link, request);
    case Kind::batch:
      break;
    case Kind::leave: {
      Header header;
      header.verb = Verb::leave;
      header.operand = request.header.operand;
      header.world = request.far.world;
      header.origin = self_;
      std::memcpy(transport_.stage(), &header, sizeof header);
      transport_.post(link.rank, sizeof header);
      release(&request);
      return true;
    }
  }
  return true;
}

// Gives what is staged its place in the order.
void Remote::stamp(Link& link) {
  ++link.sequence;
  std::memcpy(transport_.stage() + offsetof(Header, sequence), &link.sequence, sizeof link.sequence);
}

// `has_next`: another message to this server follows at once.
void Remote::post(Link& link, std::size_t bytes, bool has_next) {
  stamp(link);
  if (has_next) {
    transport_.post_with_next(link.rank, bytes);
  } else {
    transport_.post(link.rank, bytes);
  }
  ++link.sent;
}

void Remote::post_reserved(Link& link) {
  stamp(link);
  transport_.post(link.rank, sizeof(Header));
  link.reserved_busy = true;
}

// The message that was sent last carries a fence.
void Remote::ride(Link& link) {
  FarSide far;
  far.server = link.rank;
  far.world = link.world;
  Request* fence = new_request(Kind::reserved, far, nullptr);
  fence->header = {};
  fence->header.verb = Verb::fence;
  fence->sent = true;
  link.reserved = link.last_fence = fence;
  link.reserved_busy = true;
}

// A small write was sent. If its origin has the habit of fencing each, the fence is under way when it is
// asked for; who does not is not asked for an answer again.
void Remote::note_write(Link& link, bool has_fence) {
  if (++link.lone_writes > 1) link.expects_fence = false;
  if (has_fence) ride(link);
}

// What every reply carries.
void Remote::note(Link& link, const Reply& reply) {
  ledger_.applied(link.rank, reply.applied);
  if (reply.surrenders == link.surrenders) link.limit = std::max(link.limit, reply.limit);
  release_held(link);
}

// Gives back what is not used; one credit always stays.
void Remote::surrender(Link& link) {
  link.limit = std::min(link.limit, std::max(link.sent + 1, std::uint64_t{1}));
  ++link.surrenders;
  Header header;
  header.verb = Verb::surrender;
  header.world = link.world;
  header.origin = self_;
  header.operand = link.limit;
  std::memcpy(transport_.stage(), &header, sizeof header);
  transport_.post(link.rank, sizeof header);
}

void Remote::release_held(Link& link) {
  const std::uint64_t applied = ledger_.applied(link.rank);
  // Bodies end in any order, so numbers are only nearly sorted: a later look frees the rest.
  while (!link.held.empty() && link.held.front().number <= applied) {
    slots_.give_back(link.held.front().slot);
    link.held.pop_front();
  }
}

// Slots of bodies that have left come back when their numbers are applied, which servers with many
// credits to spare need not tell soon: ask. This fence passes the queue, whose head may be what waits.
void Remote::fence_for_slots() {
  slots_short_ = false;
  for (auto& [rank, link] : links_) {
    if (link.held.empty() || link.reserved_busy) continue;
    if (link.has_batches()) close(link);
    Header header;
    header.verb = Verb::fence;
    header.world = link.world;
    header.origin = self_;
    header.number = ledger_.issued(rank);
    std::memcpy(transport_.stage(), &header, sizeof header);
    post_reserved(link);
    link.reserved = nullptr;
  }
}

bool Remote::may_stage(const Link& link, unsigned buffers) const {
  const std::size_t out = staging_.size() - free_staging_.size();
  return link.staged + buffers <= max_staged_per_link && out + buffers <= remote::max_staged;
}

std::byte* Remote::take_staging(Link& link) {
  if (!may_stage(link)) return nullptr;
  if (free_staging_.empty()) {
    staging_.push_back(make_staging_room(sizes_.chunk_bytes, page_of_rooms));
    free_staging_.push_back(staging_.back().get());
  }
  ++link.staged;
  std::byte* buffer = free_staging_.back();
  free_staging_.pop_back();
  most_staging_ = std::max(most_staging_, staging_.size() - free_staging_.size());
  return buffer;
}

void Remote::give_back_staging(Link& link, std::byte* buffer) {
  --link.staged;
  free_staging_.push_back(buffer);
}

}  // namespace comex::op
