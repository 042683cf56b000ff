// Operations of one message: rmw, store, locks, release; and those on the reserved credit: unlock, fence.
#include <cstring>

#include "op/remote.h"

namespace comex::op {

using protocol::Atomic;
using protocol::Verb;
using remote::Kind;

namespace {

// A word of the caller's, in the low bytes.
std::uint64_t load_word(const std::byte* from, unsigned bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

}  // namespace

void Remote::start_atomic(const AtomicOperation& operation, const RemoteTarget& far,
                          nb::Completion& completion) {
  if (fails_at_once(completion)) return;
  const unsigned bytes = scalar_bytes(operation.scalar);
  Request* request = new_request(Kind::word, far, &completion);
  Header& header = request->header = {};
  header.verb = Verb::rmw;
  header.scalar = operation.scalar;
  header.atomic = operation.atomic;
  header.offset = far.offset_of(operation.far);
  header.bytes = bytes;
  header.operand = static_cast<std::uint64_t>(operation.operand);
  if (!operation.is_blocking) header.flags = protocol::non_blocking;
  request->desired = 0;
  if (operation.atomic == Atomic::swap || operation.atomic == Atomic::compare_swap) {
    header.operand = load_word(operation.near, bytes);
  }
  if (operation.atomic == Atomic::compare_swap) request->desired = load_word(operation.near + bytes, bytes);
  request->result = operation.near;
  request->result_bytes = bytes;
  enqueue(request);
}

// The value travels in the header, so the caller's part is over at once.
void Remote::start_store(const void* far_word, unsigned bytes, std::uint64_t value, const RemoteTarget& far,
                         nb::Completion& completion) {
  if (!fails_at_once(completion)) queue_store(far_word, bytes, value, far, 0);
}

// Nothing comes between the two: the store's number is the next one after the put's, which goes for both.
void Remote::start_put_signal(Operation put, const void* far_word, std::uint64_t value,
                              const RemoteTarget& far, nb::Completion& completion) {
  if (fails_at_once(completion)) return;
  if (!put.patch.empty()) put.signal = far_word;
  start(put, far, completion);
  queue_store(far_word, sizeof value, value, far, put.signal != nullptr ? protocol::with_signal : 0);
}

void Remote::queue_store(const void* far_word, unsigned bytes, std::uint64_t value, const RemoteTarget& far,
                         std::uint8_t flags) {
  Request* request = new_request(Kind::word, far, nullptr);
  Header& header = request->header = {};
  header.verb = Verb::store;
  header.flags = flags;
  header.offset = far.offset_of(far_word);
  header.bytes = bytes;
  header.operand = value;
  enqueue_write(request);
}

void Remote::enqueue_write(Request* request) {
  request->channel->world = request->far.world;
  request->channel->last_fence = nullptr;
  ledger_.queue(request->far.server, request->far.gpid());
  enqueue(request);
}

void Remote::start_mutex(Verb verb, std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                         std::uint64_t* acquired) {
  if (fails_at_once(completion)) return;
  Request* request = new_request(verb == Verb::unlock ? Kind::reserved : Kind::word, far, &completion);
  Header& header = request->header = {};
  header.verb = verb;
  header.operand = mutex;
  request->result = acquired;
  request->result_bytes = acquired == nullptr ? 0 : sizeof *acquired;
  enqueue(request);
}

void Remote::start_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion) {
  start_mutex(Verb::lock, mutex, far, completion, nullptr);
}

void Remote::start_try_lock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion,
                            std::uint64_t* acquired) {
  start_mutex(Verb::try_lock, mutex, far, completion, acquired);
}

void Remote::start_unlock(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion) {
  start_mutex(Verb::unlock, mutex, far, completion, nullptr);
}

void Remote::start_release(std::uint64_t mutex, const RemoteTarget& far, nb::Completion& completion) {
  if (fails_at_once(completion)) return;
  Request* request = new_request(Kind::word, far, &completion);
  request->header = {};
  request->header.verb = Verb::release;
  request->header.operand = mutex;
  enqueue_write(request);
}

bool Remote::send_word(Channel& channel, Request& request) {
  if (!has_credit(channel)) return false;
  Header& header = request.header;
  header.world = request.far.world;
  header.target = request.far.target;
  header.origin = self_;
  header.by = request.far.by;
  header.named = request.far.named;
  header.flags |= mode_flags();
  const bool is_write = protocol::is_write(header.verb);
  if (is_write) {
    header.number = ledger_.issue(channel.rank, request.far.gpid());
  } else {
    const Transfer* transfer = new_transfer(channel, request, header);
    if (transfer == nullptr) return false;
    header.slot = transfer->slot;
  }
  std::byte* const to = transport_.stage();
  std::size_t bytes = sizeof header;
  std::memcpy(to, &header, bytes);
  if (header.verb == Verb::rmw && header.atomic == Atomic::compare_swap) {
    std::memcpy(to + bytes, &request.desired, sizeof request.desired);
    bytes += sizeof request.desired;
  }
  post(channel, bytes);
  request.sent = true;
  if (is_write) {
    ledger_.unqueue(channel.rank, request.far.gpid());
    part_done(&request, false);
  }
  return true;
}

// Fence and unlock: one at a time to each server. A fence that nothing needs any more is not sent.
bool Remote::send_reserved(Channel& channel, Request& request) {
  Header& header = request.header;
  if (header.verb == Verb::fence && ledger_.applied(channel.rank) == ledger_.issued(channel.rank)) {
    end_fence(channel, request, false);
    return true;
  }
  if (channel.reserved_busy) return false;
  header.world = request.far.world;
  header.target = request.far.target;
  header.origin = self_;
  header.by = request.far.by;
  header.named = request.far.named;
  header.flags = mode_flags();
  if (header.verb == Verb::fence) header.number = ledger_.issued(channel.rank);
  std::memcpy(transport_.stage(), &header, sizeof header);
  post_reserved(channel);
  channel.reserved = &request;
  request.sent = true;
  return true;
}

void Remote::end_fence(Channel& channel, Request& request, bool failed) {
  if (channel.last_fence == &request) channel.last_fence = nullptr;
  for (nb::Completion* joined : request.joined) {
    if (failed) joined->fail();
    joined->complete();
  }
  request.sent = true;
  part_done(&request, failed);
}

}  // namespace comex::op
