// Holds what a server knows of one origin: its unfinished requests in order, its credits and its writes.
//
// The queue holds requests from their arrival to their end. A request waits for an earlier one, runs (its
// body moves, or it tries a busy stripe again), or is finished and about to be removed. Only Server uses it:
// it makes an origin at its first message, and forgets it after the last.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/protocol.h"
#include "core/staging.h"
#include "pr/batch.h"
#include "pr/credits.h"
#include "pr/order.h"
#include "pr/refusal.h"
#include "pr/transfer.h"

namespace comex::pr {

// Holds a copy of a message at the end of its memory. The space before it is for a piece of its body, or for
// the answers of a batch, which may overwrite items that are done.
class MessageCopy {
 public:
  MessageCopy() = default;
  // The message has at most `capacity` bytes, which the memory has.
  MessageCopy(std::uint32_t capacity, std::span<const std::byte> message);

  explicit operator bool() const { return bytes_ != nullptr; }
  std::span<const std::byte> message() const { return {bytes_.get() + begin_, message_bytes_}; }
  std::byte* space_before() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::uint32_t begin_ = 0;
  std::uint32_t message_bytes_ = 0;
};

// How far a request has come. An inline one is executed from its message or from the copy of it.
struct Progress {
  std::uint32_t worked = 0;      // acc: bytes added so far
  std::uint32_t busy_tries = 0;  // acc: tries that met a busy stripe

  // In a batch, `worked` and `busy_tries` are those of its next item.
  std::uint64_t number = 0;                            // of that item
  std::uint32_t at = sizeof(protocol::RequestHeader);  // the item, in the message
  std::uint32_t answered = 0;                          // bytes of the answers to the gets and rmws so far

  std::uint64_t mirror_ticket = 0;  // of a fence that waits for mirrors
  bool is_finished = false;         // it took effect; its entry, if it has one, is about to be removed
};

struct Entry {
  protocol::RequestHeader header;
  Footprint footprint;
  MessageCopy copy;         // empty if the message is only the header
  std::uint32_t event = 0;  // in the log of what is served; 0: none
  bool is_running = false;
  bool is_large = false;  // it has a transfer while it runs
  Progress progress;
  std::unique_ptr<Item> item;              // of a batch: the one at progress.at, or the one that ends there
  BadAccess fault;                         // of a large one: why its body is only drained
  std::unique_ptr<BodyTransfer> transfer;  // made at the start, since few waiting ones have one

  std::span<const std::byte> message() const {
    return copy ? copy.message() : std::as_bytes(std::span(&header, 1));
  }
};

using EntryList = std::list<Entry>;

struct Origin {
  explicit Origin(TransportRank transport_rank, Credits::Handle its_account)
      : rank(transport_rank), account(its_account) {}

  // Whether a request may start beside those before `end`.
  bool may_start(const Footprint& later, EntryList::const_iterator end) const;
  bool may_start(const Footprint& later) const { return may_start(later, queue.end()); }
  bool is_next(const protocol::RequestHeader& header) const {
    return header.sequence == static_cast<std::uint16_t>(last_sequence + 1);
  }
  std::uint64_t applied() const;  // all writes up to this number have taken effect
  // Whether this store is the signal of a put that was refused. Ask once, when the refusal is known.
  bool is_void(const protocol::RequestHeader& store);
  // The call has several messages. Ask once for each refused one.
  bool is_first_refusal_of(std::uint32_t call);

  TransportRank rank;
  Credits::Handle account;
  StagingPool::Share staging;
  EntryList queue;                           // in order of arrival
  std::vector<EntryList::iterator> running;  // these get turns
  std::size_t turn = 0;
  std::uint16_t last_sequence = 0;           // of the newest message that was taken
  std::vector<MessageCopy> early;            // messages that came before their turn, in order; rarely any
  std::uint64_t last_number = 0;             // of the newest write
  std::vector<std::uint64_t> refused_data;   // numbers of refused puts whose signals are still to come
  std::uint32_t waiting = 0;                 // entries that have not started
  std::uint32_t newest_call = 0;             // the newest call of several messages
  std::vector<std::uint32_t> refused_calls;  // a refusal was told, more may come
  bool is_reserved_used = false;             // a fence is unanswered
  bool is_active = false;                    // in the server's list of those with work
  bool is_touched = false;                   // something changed in this pass
  bool needs_scan = false;                   // a waiting entry may be able to start
  bool is_unmirrored = false;                // it wrote to kept memory, and no fence has come since
  bool awaits_mirrors = false;               // its fence does
  std::optional<protocol::Leaving> leaving = std::nullopt;  // set by its leave message
};

}  // namespace comex::pr
