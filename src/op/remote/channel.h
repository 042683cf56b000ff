// What this origin knows of one server: its credits, the order of its messages, and what is under way to it.
//
// It owns nothing that it points to. Channels makes and keeps channels; every part of op/remote reads and
// changes them, under the engine lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/protocol.h"
#include "nb/fifo.h"
#include "op/remote_target.h"

namespace comex::op::remote {

struct Request;
struct Batch;

// One refusal of this call of many messages was told; none comes any more behind the number.
struct ToldCall {
  std::uint32_t call = 0;
  std::uint64_t number = 0;
};

struct HeldSlot {
  std::uint64_t number = 0;
  std::uint32_t slot = 0;
};

struct Channel {
  TransportRank rank = no_rank;
  WorldId world = 0;
  std::uint64_t limit = 1;
  std::uint64_t sent = 0;      // credits used, that of an open batch included
  std::uint16_t sequence = 0;  // of the newest message, or the open batch; wraps
  std::uint16_t surrenders = 0;

  nb::Fifo<Request*> queue;
  // As far as is known here still open: the queue is empty then.
  Batch* batch = nullptr;
  bool listed = false;            // among those with a queue
  unsigned copied = 0;            // copied messages in the queue
  bool reserved_busy = false;     // a fence or an unlock is under way
  Request* reserved = nullptr;    // which; null: a fence of our own, to get slots back
  Request* last_fence = nullptr;  // one that covers all writes so far, sent or not
  unsigned transfers = 0;         // under way
  unsigned bodies = 0;            // transfers with chunks under way
  unsigned staged = 0;            // staging buffers they hold
  nb::Fifo<HeldSlot> held;        // bodies that have left; the slot is free once the number is applied
  std::vector<ToldCall> told;     // that may be refused once more

  bool has_credit() const { return sent < limit; }
  // A reply that crossed a surrender carries a void limit.
  void note_limit(const protocol::ReplyHeader& reply) {
    if (reply.surrenders == surrenders) limit = std::max(limit, reply.limit);
  }
  // Gives back the credits that are not used; one always stays.
  void surrender() {
    limit = std::min(limit, std::max(sent + 1, std::uint64_t{1}));
    ++surrenders;
  }
  // For requests to the server itself.
  RemoteTarget itself() const { return {.world = world, .server = rank}; }
  // Nothing here points to it, and nothing is to come but credits.
  bool is_idle() const {
    return queue.empty() && batch == nullptr && !listed && !reserved_busy && last_fence == nullptr &&
           transfers == 0 && held.empty();
  }
};

}  // namespace comex::op::remote
