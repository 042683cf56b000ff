// The parts that op/remote is made of: requests in a server's queue, transfers that hold a slot, links.
//
//   Request   one operation, from its start until its last message is sent and its last part is done
//   Transfer  one message that awaits a reply or whose body is under way; holds one reply slot
//   Batch     small operations on their way into one message
//   Link      what this origin knows of one server: queue, credits, fence, slots not yet free
//
// Plain state, pooled; only op/remote touches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/operation.h"
#include "nb/completion.h"
#include "op/far_side.h"
#include "op/near_side.h"
#include "op/plan.h"
#include "transport/transport.h"

namespace comex::op::remote {

enum class Kind : std::uint8_t {
  data,      // put, get, acc: any number of messages
  copied,    // a small write whose message is complete already, but for its number
  word,      // rmw, store, lock, try_lock: one message
  reserved,  // fence, unlock: one message on the reserved credit
  batch,     // small operations in one message
  leave,
};

struct Link;

struct Batch {
  struct Word {  // an rmw whose old value is awaited
    nb::Completion* completion = nullptr;
    void* result = nullptr;
    std::uint32_t item = 0;
    std::uint8_t bytes = 0;
    bool failed = false;
  };
  // One target's items that follow each other: they get their numbers together.
  struct Stretch {
    Gpid target;
    std::uint32_t items = 0;
  };

  WorldId world = 0;
  std::size_t used = 0;
  std::uint32_t items = 0;
  std::uint64_t number = 0;  // of the first item, once it is sent
  std::vector<Word> words;
  std::vector<Stretch> stretches;
  alignas(8) std::byte message[protocol::message_bytes];
};

struct Request {
  Kind kind = Kind::data;
  Link* link = nullptr;
  FarSide far;
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
  Link* link = nullptr;
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
    std::byte* staging = nullptr;
    std::uint32_t bytes = 0;
  };
  Chunk chunks[protocol::chunks_in_flight];
  std::uint32_t chunk_bytes = 0;
  unsigned depth = 0;
  unsigned head = 0;
  unsigned in_flight = 0;
  std::uint64_t begun = 0;     // bytes handed to the transport
  std::uint64_t finished = 0;  // bytes that have arrived or left
};

struct HeldSlot {
  std::uint64_t number = 0;
  std::uint32_t slot = 0;
};

struct Link {
  TransportRank rank = no_rank;
  WorldId world = 0;
  std::uint64_t limit = 1;
  std::uint64_t sent = 0;
  std::uint16_t surrenders = 0;

  std::deque<Request*> queue;
  Batch* batch = nullptr;         // still open: behind the queue
  bool listed = false;            // in Remote::waiting_
  unsigned copied = 0;            // copied messages in the queue
  bool reserved_busy = false;     // a fence or an unlock is under way
  Request* reserved = nullptr;    // which; null: a fence of our own, to get slots back
  Request* last_fence = nullptr;  // one that covers all writes so far, sent or not
  unsigned bodies = 0;            // transfers with chunks under way
  unsigned staged = 0;            // staging buffers they hold
  std::deque<HeldSlot> held;      // bodies that have left; the slot is free once the number is applied
};

}  // namespace comex::op::remote
