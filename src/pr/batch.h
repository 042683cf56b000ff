// Takes a batch message apart: it reads the items one by one, and finds what the batch touches as a whole.
//
// The functions are pure. read_batch() trusts no byte and says whether the message is consistent;
// go_to_next() may be used on consistent messages only. The server calls both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/protocol.h"
#include "kernels/atomics.h"
#include "pr/order.h"

namespace comex::pr {

// An item as if it repeated nothing of the one before. Places are bytes from the start of the message, so
// that the message may move.
struct Item {
  protocol::BatchItem head;  // as if it repeated nothing
  Scale scale = {};          // acc
  TargetName named;
  std::uint32_t load = 0;                               // place of its data or operands
  std::uint32_t end = sizeof(protocol::RequestHeader);  // place behind it

  Scalar scalar() const { return static_cast<Scalar>(protocol::kind_of(head)); }
};

// The item has to be an rmw.
kernels::WordChange word_of(const Item& item, std::span<const std::byte> message);

struct BatchShape {
  bool is_sound = false;
  // Its verb and scalar are those of the items. If they differ, those of an rmw, which nothing overtakes.
  Footprint footprint;
};

// `limit` is the most bytes that a message may have.
BatchShape read_batch(const protocol::RequestHeader& header, std::span<const std::byte> message,
                      std::size_t limit);

// Moves on to the next item; a new Item moves on to the first one.
void go_to_next(Item& item, std::span<const std::byte> message);

// Makes the header that the item would have as a single request, for reports and for execution.
protocol::RequestHeader header_of(const protocol::RequestHeader& batch, const Item& item,
                                  std::span<const std::byte> message, std::uint64_t number);

}  // namespace comex::pr
