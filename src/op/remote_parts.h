// The parts that op/remote is made of: requests in a server's queue, transfers that hold a slot, channels.
//
//   Request   one operation, from its start until its last message is sent and its last part is done
//   Transfer  one message that awaits a reply or whose body is under way; holds one reply slot
//   Batch     small operations collecting in a buffer of the outbox, then those that await their answers
//   Channel      what this origin knows of one server: queue, credits, fence, slots not yet free;
//             of one that rests, IdlePeers keeps what must not be forgotten
//
// Plain state, pooled; only op/remote touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/batch_room.h"
#include "core/operation.h"
#include "nb/completion.h"
#include "nb/fifo.h"
#include "op/near_side.h"
#include "op/plan.h"
#include "op/remote_target.h"
#include "shm/outbox.h"
#include "transport/transport.h"

namespace comex::op::remote {

inline constexpr std::size_t max_staged = 128;      // buffers for scattered bodies
inline constexpr std::size_t kept_addresses = 128;  // of a vector operation, in each pooled request: a KiB

enum class Kind : std::uint8_t {
  data,      // put, get, acc: any number of messages
  copied,    // a small write whose message is complete already, but for its number
  word,      // rmw, store, lock, try_lock: one message
  reserved,  // fence, unlock: one message on the reserved credit
  batch,     // the gets and rmws of a batch, which await their answers; never in a queue
  leave,
};

struct Channel;
struct Transfer;

// Of an accumulate, zero beyond its bytes. Two words, which stay in registers.
struct ScaleWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const ScaleWords&) const = default;
};

struct Batch {
  struct Answer {  // to a get or rmw, awaited
    nb::Completion* completion = nullptr;
    void* result = nullptr;
    std::uint32_t item = 0;
    std::uint16_t bytes = 0;
    bool failed = false;
  };
  Channel* channel = nullptr;
  WorldId world = 0;
  shm::OutboxBuffer* buffer = nullptr;
  shm::OutboxWord word;      // as this worker has left it; the pusher may have changed it since
  std::uint64_t number = 0;  // of the first item
  protocol::BatchItem last;  // item, where there is one
  ScaleWords last_scale;     // acc
  std::vector<Answer> answers;
  BatchRoom room;
  Transfer* transfer = nullptr;  // once there is a get or rmw; its request is its own
};

struct Request {
  Kind kind = Kind::data;
  Channel* channel = nullptr;
  RemoteTarget far;
  nb::Completion* completion = nullptr;  // null: nobody waits any more
  bool failed = false;

  // data
  Operation operation;
  Plan plan;
  std::uint64_t next_segment = 0;  // the first one no message has covered; what is no vector has one
  bool sent = false;               // the last message has left
  std::uint32_t parts = 0;         // transfers under way
  std::vector<void*> addresses;    // vector: near ones, then far ones

  std::vector<std::byte> message;  // copied
  Batch* batch = nullptr;

  // word and reserved
  protocol::RequestHeader header;
  std::uint64_t desired = 0;
  void* result = nullptr;
  unsigned result_bytes = 0;
  std::vector<nb::Completion*> joined;  // fences that wait for the same answer
};

struct Transfer {
  Request* request = nullptr;
  Channel* channel = nullptr;
  std::uint32_t slot = 0;
  protocol::Verb verb{};
  std::uint64_t number = 0;
  NearSide near;
  std::uint64_t bytes = 0;
  bool refused = false;  // an empty chunk or the refusal itself has come
  bool refusal_told = false;
  bool has_body = false;

  // the body, chunk by chunk; a ring of at most `depth`, oldest at `head`
  struct Chunk {
    transport::Ticket ticket;
    std::byte* staging = nullptr;  // in one of the buffers
    std::uint32_t bytes = 0;
  };
  Chunk chunks[protocol::chunks_in_flight];
  std::byte* buffers[protocol::chunks_in_flight] = {};  // for staging; one takes as many chunks as fit
  std::uint32_t chunk_bytes = 0;
  unsigned depth = 0;
  unsigned head = 0;
  unsigned in_flight = 0;
  std::uint64_t begun = 0;     // bytes handed to the transport
  std::uint64_t finished = 0;  // bytes that have arrived or left
};

// Of a call of many messages a refusal was told; none comes any more behind the number.
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
  bool listed = false;            // in Remote::waiting_
  unsigned copied = 0;            // copied messages in the queue
  bool reserved_busy = false;     // a fence or an unlock is under way
  Request* reserved = nullptr;    // which; null: a fence of our own, to get slots back
  Request* last_fence = nullptr;  // one that covers all writes so far, sent or not
  unsigned transfers = 0;         // under way
  unsigned bodies = 0;            // transfers with chunks under way
  unsigned staged = 0;            // staging buffers they hold
  nb::Fifo<HeldSlot> held;        // bodies that have left; the slot is free once the number is applied
  std::vector<ToldCall> told;     // that may be refused once more

  // Nothing here points to it, and nothing is to come but credits.
  bool is_idle() const {
    return queue.empty() && batch == nullptr && !listed && !reserved_busy && last_fence == nullptr &&
           transfers == 0 && held.empty();
  }
};

}  // namespace comex::op::remote
