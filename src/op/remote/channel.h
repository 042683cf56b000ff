// Holds what an origin knows of one server: its credits, the order of its messages, and what is under way.
//
// A channel owns nothing that it points to. Channels makes and keeps channels; every part of op/remote reads
// and changes them, under the engine lock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>

#include "core/protocol.h"
#include "core/staging.h"
#include "op/remote_target.h"

namespace comex::op::remote {

struct Request;
struct Batch;

struct SlotUntilApplied {
  std::uint64_t number = 0;
  std::uint32_t slot = 0;
};

struct Channel {
  TransportRank rank = no_rank;
  WorldId world = 0;
  std::uint64_t limit = 1;
  std::uint64_t sent = 0;      // credits used, that of an open batch included
  std::uint16_t sequence = 0;  // of the newest message, or the open batch; wraps
  std::uint16_t credit_returns = 0;

  std::list<Request*> queue;   // it takes no memory while empty, as most are
  std::uint64_t queued = 0;    // requests that have ever been in the queue
  std::uint64_t dequeued = 0;  // of these, those that are not there any more
  // The open batch, as far as this worker knows; the queue is empty then.
  Batch* batch = nullptr;
  bool listed = false;            // it is in the list of channels with a queue
  unsigned copied = 0;            // copied messages in the queue
  bool reserved_busy = false;     // a fence is under way
  Request* reserved = nullptr;    // the one under way; null: a fence to get slots back
  Request* last_fence = nullptr;  // the fence that covers all writes so far, sent or not
  unsigned transfers = 0;         // under way
  unsigned bodies = 0;            // transfers with chunks under way
  StagingPool::Share staged;      // staging buffers they hold
  // Of bodies that have left: each is free once its number is applied.
  std::list<SlotUntilApplied> slots_until_applied;

  // Writes (see writes.h). A call that waits to be sent counts once in `unsent`, and has no numbers yet.
  std::uint64_t unsent = 0;
  std::uint64_t issued = 0;      // the highest number that a message of a write has
  std::uint64_t applied = 0;     // all numbers up to this are known to have taken effect
  std::uint32_t atomics = 0;     // non-blocking ones without an answer
  bool is_unmirrored = false;    // mirrors of kept memory lack what this origin wrote
  bool is_listed_dirty = false;  // it is in the list of Writes

  bool is_dirty() const { return unsent != 0 || issued > applied || is_unmirrored || atomics != 0; }
  bool has_credit() const { return sent < limit; }
  // A reply that crossed a return of credits carries a void limit.
  void note_limit(const protocol::ReplyHeader& reply) {
    if (reply.credit_returns == credit_returns) limit = std::max(limit, reply.limit);
  }
  // Gives back the unused credits; one always stays.
  void return_credits() {
    limit = std::min(limit, sent + 1);
    ++credit_returns;
  }
  // The target of requests to the server itself.
  RemoteTarget itself() const { return {.world = world, .server = rank}; }
  // Nothing points to an idle channel, and nothing but credits can arrive for it.
  bool is_idle() const {
    return queue.empty() && batch == nullptr && !listed && !reserved_busy && last_fence == nullptr &&
           transfers == 0 && slots_until_applied.empty() && !is_dirty() && !is_listed_dirty;
  }
};

}  // namespace comex::op::remote
