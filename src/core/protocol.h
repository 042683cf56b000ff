// Defines every byte that travels between an origin and a server.
//
// A message is a fixed header followed by its parts; header and parts together are at most
// `message_bytes`. All messages use one header tag; bodies use a tag of their own.
//
//   put/acc, small     origin --[RequestHeader|Scale?|layout?|data]--> server        (no reply)
//   put/acc, large     origin --[RequestHeader|Scale?|layout?]-------> server
//                      origin --[chunk]*  (tag put_tag(slot))--------> server        (at most 4 in flight)
//   get, small         origin --[RequestHeader|layout?]--------------> server
//                      origin <--[ReplyHeader data | data]------------ server
//   get, large         origin --[RequestHeader|layout?]--------------> server
//                      origin <--[chunk]*  (tag get_tag(slot))-------- server        (at most 4 in flight)
//   rmw                origin --[RequestHeader|desired?]-------------> server
//                      origin <--[ReplyHeader data, value]------------ server
//   batch              origin or its pusher --[RequestHeader|item]*--> server        (puts, gets, accs, rmws)
//                      origin <--[ReplyHeader data_batch | answers]--- server        (if it has gets or rmws)
//   store              origin --[RequestHeader, operand]-------------> server        (no reply)
//   put and signal     origin --[RequestHeader|word|data], [store]---> server        (as put, then store)
//   lock, try_lock     origin --[RequestHeader, operand = mutex]-----> server
//                      origin <--[ReplyHeader done, value=acquired]--- server        (when it is its turn)
//   release            origin --[RequestHeader, operand = mutex]-----> server        (no reply, or done)
//   fence              origin --[RequestHeader]----------------------> server
//                      origin <--[ReplyHeader done]------------------- server        (all earlier writes
//                      applied)
//   flow control       origin <--[ReplyHeader credit]----------------- server
//                      origin <--[ReplyHeader recall_credits]--------- server
//                      origin --[RequestHeader return_credits]-------> server        (operand = new limit)
//   error              origin <--[ReplyHeader refused]---------------- server
//   control message    worker --[ControlHeader|data]-------------------> worker
//   bundle             anybody --[BundleHeader|part|part...]---------> anybody       (messages, a short body)
//   end of service     worker --[RequestHeader leave]----------------> server
//
// Small and large: a put or acc is small when it carries its data (body_inline); a get is small when its
// `bytes` are at most `reply_data_bytes`. Chunks have `chunk_bytes`, the last one the rest. Where the server
// has to stage them, they have at most one piece (core/pieces.h). The least piece and its request have at
// most `message_bytes` together.
//
// Bundle: several messages that one process posted to another in a row, sent as one MPI message, which costs
// less over a network. The chunk that is posted right behind its request may be the last part. The transports
// pack and unpack bundles; the layers above never see them.
//
// Slots: numbers from 1 up. A request has one if it awaits a reply or sends a body. Slot 0 means none: for
// inline writes, and for the one fence under way, which its server alone identifies.
//
// rmw: a word of 4 bytes travels in the low half of operand, value and desired; `desired` (compare_swap
// only) is 8 bytes whatever the width.
//
// Batch: `items()` items of `bytes` bytes in all, executed in order. Each item, gets and rmws too, has a
// running number, counted up from the header's. If an item is refused, a reply of its own carries its number
// as value, and the batch goes on. The slot is that of the gets and rmws; their data and old values come in
// one reply, in the order of the items, each padded to 8 bytes. A batch without any has neither slot nor
// reply. At every place in it, the answers so far and the items to come have at most the bytes of a message
// (core/batch_size.h), so a server that has to wait keeps both in one copy. Another process of the origin's
// host may send the batch, so `batch_rank()` is the origin's transport rank.
//
// Order: `sequence` counts an origin's messages to a server from 1 up, except return_credits and leave.
// Messages from two senders may overtake each other; the server restores this order. Credits keep the number
// under way far below the range of the count.
//
// Endpoints: a request of an endpoint carries its number, which identifies the owner of a mutex, and its
// rank, for the text of error lines. Such a request never is in a batch, because a batch has one origin.
//
// Names: a request carries the program's name for the target if that was not a rank of the world. It is used
// only in the line about a refusal.
//
// Mutexes: `mutex()` is the number among the target's mutexes. Only the target's host knows how many there
// are and where they lie, and it refuses numbers out of range; `offset` is unused. A
// release is a write as to numbers, order and fences. With a slot, it is answered: done, or refused.
//
// Flow control: an origin may have sent at most `limit` credited messages to a server since the start; the
// limit begins at 1. Every reply carries it. It only grows, unless the origin returns a part: each
// recall is answered by one return, whose `new_limit()` is the server's limit from then on. A reply that
// crossed a return carries a void limit. So every reply counts the returns its sender has seen, and the
// origin ignores limits with an older count. Credited are put, acc, get, rmw, store, release, lock, try_lock
// and batch. A fence has a reserved credit per origin and server: the next is sent when the last was
// answered. A return and leave need no credit. The new limit is at least the number
// of messages sent and at most the old limit.
//
// Mirrors: after a write to kept memory replies say `is_unmirrored` until a fence is answered, for which the
// mirrors must have it. After direct writes an origin asks for that in its fence.
//
// Completion: each write (put, acc, store, release, item of a batch) carries the origin's running number for
// this server, from 1 up, without gaps. `applied` in a reply means that all writes up to it have taken
// effect. The slot of a put or acc is free again when its number is applied.
//
// Signal: a put and the store that is the next write both carry `with_signal`. After its header, the put
// gives the place of the word in 8 bytes, and a bad place is refused as bad data is. If the put is refused,
// its store has no effect and no answer; it only counts as applied.
//
// Refusals of a call: every refused message of a call is answered, and the first answer says so. The server
// prints one line and the origin reports one failure for each call.
//
// Refused get: an empty chunk answers each of the (at most 4) chunk receives that the origin posted at first;
// the refused reply follows. Refused put or acc: the server receives the body and drops it; the write counts
// as applied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/ids.h"
#include "core/scalar.h"

namespace comex::protocol {

inline constexpr std::size_t message_bytes = 4000;  // the most; sent at once by every MPI that is known
inline constexpr unsigned chunks_in_flight = 4;     // per operation
inline constexpr std::uint32_t slot_count = 16380;  // reply slots of one origin, and no_slot
inline constexpr std::uint32_t no_slot = 0;

inline constexpr int header_tag = 0;
// The two directions use different tags, since a worker may be origin and server at once.
constexpr int put_tag(std::uint32_t slot) {
  return static_cast<int>(1 + 2 * slot);
}
constexpr int get_tag(std::uint32_t slot) {
  return static_cast<int>(2 + 2 * slot);
}
static_assert(get_tag(slot_count - 1) < 32767);

// The order has meaning: see is_request, is_credited.
enum class Verb : std::uint8_t {
  // origin -> server
  put,
  get,
  acc,
  rmw,
  store,
  release,
  lock,
  try_lock,
  batch,
  fence,
  return_credits,
  leave,
  // server -> origin
  data = 64,
  done,
  credit,
  recall_credits,
  refused,
  data_batch,
  // worker -> worker
  control = 128,
  // transport -> transport
  bundle = 192,
};
constexpr bool is_request(Verb verb) {
  return verb < Verb::data;
}
constexpr bool is_reply(Verb verb) {
  return verb >= Verb::data && verb < Verb::control;
}
constexpr bool is_write(Verb verb) {
  return verb == Verb::put || verb == Verb::acc || verb == Verb::store || verb == Verb::release ||
         verb == Verb::batch;
}
// The value of the answer to a lock or trylock.
inline constexpr std::uint64_t not_taken = 0;
constexpr std::uint64_t taken_value(bool is_from_dead_holder) {
  return is_from_dead_holder ? 2 : 1;
}

constexpr bool is_credited(Verb verb) {
  return verb <= Verb::batch;
}

enum class Layout : std::uint8_t {
  contiguous,
  strided,  // StridedLayout follows
  vector,   // ScatterLayout and its offsets follow
};

// How a process leaves a wire: together with all others, alone, or because its world ends.
enum class Leaving : std::uint64_t { together, alone, ended };

enum RequestFlags : std::uint8_t {
  errors_return = 1,  // print a refusal, but do not end the job: the origin returns an error, or ends itself
  body_inline = 2,    // the data (put, acc) is in this message
  non_blocking = 4,   // the program's call was non-blocking, for the line about a refusal
  with_signal = 8,    // put: the next write is its signal; store: it is the signal of the write before
  adds = 16,          // store: the value is added to the word
  with_mirrors = 32,  // fence: the origin wrote to kept memory without this server
};

struct RequestHeader {
  Verb verb{};
  Layout layout = Layout::contiguous;
  Scalar scalar = Scalar::none;  // acc: element type; rmw: int32 or int64, also for other types of that width
  std::uint8_t flags = 0;
  Atomic atomic = Atomic::swap;  // rmw only
  Layout called =
      Layout::contiguous;      // put, get, acc: layout of the program's call, which may take many messages
  std::uint16_t sequence = 0;  // number among the origin's messages to this server; wraps
  WorldId world = 0;
  Worker target = 0;          // worker that owns the memory or the mutex; batch: see batch_rank()
  Worker origin = 0;          // worker number of the sender, for messages and lock ownership
  std::uint32_t slot = 0;     // reply slot, where a reply or a body belongs to this request
  std::uint64_t number = 0;   // writes: running number; fence: the last number issued
  std::uint64_t offset = 0;   // arena offset of the far side; unused by the vector layout
  std::uint64_t bytes = 0;    // data bytes of the whole operation, packed; rmw: 4 or 8; store: 8
  std::uint64_t operand = 0;  // its meaning depends on the verb: see below
  std::uint32_t chunk_bytes = 0;
  std::uint32_t call = 0;  // number of the program's call, in all its messages; 0: the call has only one
  Requester by;            // an endpoint of the origin; a batch has none
  TargetName named;        // of the target; a batch has it in its items

  // lock, try_lock, release: the number among the mutexes of the target.
  std::uint64_t mutex() const { return operand; }
  void set_mutex(std::uint64_t number_of_mutex) { operand = number_of_mutex; }
  // rmw: the addend, mask, new value or expected value.
  std::uint64_t argument() const { return operand; }
  void set_argument(std::uint64_t bits) { operand = bits; }
  // store.
  std::uint64_t value() const { return operand; }
  void set_value(std::uint64_t bits) { operand = bits; }
  // batch; and the transport rank of its origin, since another process may send it.
  std::uint64_t items() const { return operand; }
  void set_items(std::uint64_t count) { operand = count; }
  TransportRank batch_rank() const { return static_cast<TransportRank>(target); }
  void set_batch_rank(TransportRank rank) { target = static_cast<Worker>(rank); }
  // acc.
  Combine combine() const { return static_cast<Combine>(operand); }
  void set_combine(Combine how) { operand = static_cast<std::uint64_t>(how); }
  // return_credits.
  std::uint64_t new_limit() const { return operand; }
  void set_new_limit(std::uint64_t limit) { operand = limit; }
  // leave.
  Leaving leaving() const { return static_cast<Leaving>(operand); }
  void set_leaving(Leaving how) { operand = static_cast<std::uint64_t>(how); }
};
static_assert(sizeof(RequestHeader) == 80 && std::is_trivially_copyable_v<RequestHeader>);
static_assert(offsetof(RequestHeader, number) == 24 && offsetof(RequestHeader, chunk_bytes) == 56 &&
              offsetof(RequestHeader, sequence) == 6 && offsetof(RequestHeader, by) == 64 &&
              offsetof(RequestHeader, named) == 72);

// The far side of a strided operation: normalised, levels >= 1; only the used entries travel.
//   [u32 levels][u32 0][u64 counts[levels + 1]][i64 strides[levels]]
struct StridedLayout {
  std::uint32_t levels = 0;
  std::uint32_t spare = 0;
  // followed by counts and strides
};
static_assert(sizeof(StridedLayout) == 8);

// The far side of a vector operation: `count` segments of `segment_bytes` each.
//   [u32 count][u32 segment_bytes][u64 arena offset[count]]
struct ScatterLayout {
  std::uint32_t count = 0;
  std::uint32_t segment_bytes = 0;
  // followed by the offsets
};
static_assert(sizeof(ScatterLayout) == 8);

// One operation of a batch. What follows it begins and ends at multiples of 8 bytes, after a TargetName if it
// has one:
//   put   data                            get   nothing
//   acc   one element of scale, data      rmw   operand, desired?
struct BatchItem {
  Verb verb{};              // put, get, acc or rmw
  std::uint8_t detail = 0;  // from the low bits: 4 Scalar of acc or Atomic of rmw, 3 Layout called, 1 named?
  std::uint16_t bytes = 0;  // put, get, acc: data; rmw: 4 or 8
  Worker target = 0;        // as in RequestHeader
  std::uint64_t offset = 0;
};
static_assert(sizeof(BatchItem) == 16 && offsetof(BatchItem, target) == 4 &&
              offsetof(BatchItem, offset) == 8);
constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + 7) & ~std::size_t{7};
}
static_assert(scalar_kinds <= 16 && static_cast<unsigned>(last_atomic) < 16, "half a byte each");
inline constexpr std::uint8_t named_item = 128;
inline constexpr std::uint8_t item_repeats = 255;  // the value of `mark`; it is no verb
constexpr std::uint8_t detail_of(Scalar scalar, Layout called) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(scalar) | static_cast<unsigned>(called) << 4);
}
constexpr std::uint8_t kind_of(const BatchItem& item) {
  return item.detail & 15;
}
constexpr Layout called_of(const BatchItem& item) {
  return static_cast<Layout>(item.detail >> 4 & 7);
}
constexpr bool is_named(const BatchItem& item) {
  return (item.detail & named_item) != 0;
}
constexpr std::size_t head_bytes(const BatchItem& item) {
  return sizeof item + (is_named(item) ? sizeof(TargetName) : 0);
}
constexpr std::size_t scale_bytes(const BatchItem& item) {
  return item.verb == Verb::acc ? padded(scalar_bytes(static_cast<Scalar>(kind_of(item)))) : 0;
}
// Bytes of the data or operands.
constexpr std::size_t load_bytes(const BatchItem& item) {
  switch (item.verb) {
    case Verb::rmw:
      return static_cast<Atomic>(kind_of(item)) == Atomic::compare_swap ? 16 : 8;
    case Verb::get:
      return 0;
    default:
      return padded(item.bytes);
  }
}
// Bytes of an item of a known verb, with all that follows it.
constexpr std::size_t item_bytes(const BatchItem& item) {
  return head_bytes(item) + scale_bytes(item) + load_bytes(item);
}

// An item that equals the one before it, an acc's scale included, except for its place and its data or
// operands, which follow. It is never the first item and never follows one with a TargetName.
struct RepeatedItem {
  std::uint8_t mark = item_repeats;  // at the place of a BatchItem's verb
  std::uint8_t spare[3] = {};
  std::int32_t step = 0;  // bytes from the place of the item before
};
static_assert(sizeof(RepeatedItem) == 8 && offsetof(RepeatedItem, step) == 4);
constexpr std::size_t repeated_bytes(const BatchItem& item) {
  return sizeof(RepeatedItem) + load_bytes(item);
}
// Compares all but the place and the scale of an acc.
constexpr bool is_alike(const BatchItem& a, const BatchItem& b) {
  return a.verb == b.verb && a.detail == b.detail && a.bytes == b.bytes && a.target == b.target;
}

// Bytes of the item's part of the reply.
constexpr std::size_t answer_bytes(const BatchItem& item) {
  return item.verb == Verb::get || item.verb == Verb::rmw ? padded(item.bytes) : 0;
}

enum class Refusal : std::uint8_t {
  none,
  no_extent,
  wrong_owner,
  past_end,
  freed,
  misaligned,
  not_the_holder,
  no_such_mutex,
  unknown_world,
  malformed,
};

struct ReplyHeader {
  Verb verb{};
  std::uint8_t flags = 0;
  std::uint16_t credit_returns = 0;  // by this origin that the server has seen, wraps
  std::uint32_t slot = 0;            // the request that this answers; unused by credit and recall_credits
  std::uint64_t applied = 0;         // all writes of this origin up to this number have taken effect
  std::uint64_t limit = 0;           // credited messages this origin may have sent since the start
  // rmw: old value, zero-extended; lock, try_lock: see taken_value; refused: number or 0.
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;  // data bytes that follow
  Refusal refusal = Refusal::none;
  Verb refused_verb{};  // refused: the verb of the request
  std::uint8_t is_unmirrored = 0;
  std::uint8_t is_first = 0;  // refused: no other message of the call was refused before
  Worker target = 0;          // refused: the target's worker number, since an inline put has no slot
  std::uint32_t call = 0;     // refused: as in its request
  WorldId world = 0;          // refused: the target's world
};
static_assert(sizeof(ReplyHeader) == 56 && std::is_trivially_copyable_v<ReplyHeader>);
static_assert(offsetof(ReplyHeader, world) == 52);

struct ControlHeader {
  Verb verb = Verb::control;
  std::uint8_t spare[3] = {};
  std::uint32_t phase = 0;     // step within one collective
  std::uint64_t context = 0;   // the group; the lowest numbers are for messages of no group
  std::uint64_t sequence = 0;  // which collective of that group
  std::uint64_t bytes = 0;     // of the whole message; further messages carry the rest, in order
};
static_assert(sizeof(ControlHeader) == 32 && std::is_trivially_copyable_v<ControlHeader>);

struct BundleHeader {
  Verb verb = Verb::bundle;
  std::uint8_t spare[3] = {};
  std::uint32_t parts = 0;
  // Parts follow, as many as stated: each is a BundlePart, a message or body, and padding to 8 bytes.
};
static_assert(sizeof(BundleHeader) == 8);
struct BundlePart {
  std::uint32_t bytes = 0;  // of the message or body
  std::uint32_t tag = 0;    // of a body, which belongs to the message before it; 0: the part is a message
};
static_assert(sizeof(BundlePart) == 8);
// The most bytes of a whole bundle: five of the longest messages. Only wires that span machines use bundles.
inline constexpr std::size_t bundle_bytes = sizeof(BundleHeader) + 5 * (sizeof(BundlePart) + message_bytes);
static_assert(message_bytes % 8 == 0);

inline constexpr std::size_t reply_data_bytes = message_bytes - sizeof(ReplyHeader);
inline constexpr std::size_t control_data_bytes = message_bytes - sizeof(ControlHeader);

}  // namespace comex::protocol
