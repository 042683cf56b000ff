// Sends everything that a server sends: replies, refusals and credits.
#include <atomic>
#include <cstring>

#include "kernels/copy.h"
#include "pr/server.h"

namespace comex::pr {

using protocol::ReplyHeader;
using protocol::Verb;

// `staged` may be a message with reply.bytes of data behind the space for its header.
void Server::post(Origin& origin, ReplyHeader reply, std::byte* staged) {
  reply.applied = origin.applied();
  reply.limit = credits_.tell(origin.account);
  reply.credit_returns = origin.account->credit_returns;
  reply.is_unmirrored = origin.is_unmirrored || origin.awaits_mirrors ? 1 : 0;
  std::memcpy(staged, &reply, sizeof reply);
  transport_.post(origin.rank, sizeof reply + reply.bytes);
}

void Server::reply(Origin& origin, const Header& request, Verb verb, std::uint64_t value) {
  ReplyHeader header;
  header.verb = verb;
  header.slot = request.slot;
  header.value = value;
  post(origin, header, transport_.stage());
}

void Server::reply_data(const InlineRequest& small) {
  const Payload& payload = small.payload;
  ReplyHeader header;
  header.verb = Verb::data;
  header.slot = small.header.slot;
  header.bytes = small.header.bytes;
  std::byte* staged = transport_.stage();
  std::byte* data = staged + sizeof header;
  const shm::Arena& arena = served_world_of(small.header).arena();
  std::atomic_thread_fence(std::memory_order_acquire);
  if (payload.offsets == nullptr && payload.patch.contiguous()) {
    kernels::copy_bytes(data, arena.at(payload.touches.low), header.bytes);
  } else if (header.bytes != 0) {
    far_side(payload, arena.base()).gather(data, header.bytes);
  }
  post(small.origin, header, staged);
}

// Sends what the gets and rmws of a batch found.
void Server::reply_batch(Origin& origin, const BatchRun& batch) {
  ReplyHeader header;
  header.verb = Verb::data_batch;
  header.slot = batch.header.slot;
  header.bytes = batch.progress.answered;
  std::byte* staged = transport_.stage();
  std::memcpy(staged + sizeof header, batch.answers, header.bytes);
  post(origin, header, staged);
}

void Server::refuse(Origin& origin, const Header& request, const BadAccess& fault) {
  ++counters_.refused;
  const bool has_signal = request.verb == Verb::put && (request.flags & protocol::with_signal) != 0;
  if (has_signal) origin.refused_data.push_back(request.number);
  const bool is_first = request.call == 0 || origin.is_first_refusal_of(request.call);
  if (is_first) options_.report({origin.rank, request, fault});
  ReplyHeader header;
  header.verb = Verb::refused;
  header.slot = request.slot;
  header.value = request.number;
  header.refusal = fault.refusal;
  header.target = request.target;
  header.world = request.world;
  header.call = request.call;
  header.refused_verb = request.verb;
  header.is_first = is_first ? 1 : 0;
  post(origin, header, transport_.stage());
}

}  // namespace comex::pr
