// A batch message taken apart: its items one by one, and what it touches as a whole.
//
// Pure; it trusts nothing: read_batch() says whether the bytes are consistent, go_to_next() may be used on
// those that are.  Called by the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/protocol.h"
#include "pr/order.h"
#include "pr/rmw.h"

namespace comex::pr {

// One item, or what the next one takes from it if it repeats it. Places are bytes from the message's begin,
// so that the message may move.
struct Item {
  protocol::BatchItem head;  // as if it repeated nothing
  Scale scale = {};          // acc
  TargetName named;
  std::uint32_t load = 0;                               // place of its data or operands
  std::uint32_t end = sizeof(protocol::RequestHeader);  // place behind it

  Scalar scalar() const { return static_cast<Scalar>(protocol::kind_of(head)); }
};

// An rmw's.
WordChange word_of(const Item& item, std::span<const std::byte> message);

struct BatchShape {
  bool is_sound = false;
  // One verb and scalar if all items have them, else those of an rmw, which nothing may pass.
  Footprint footprint;
};

// `limit`: bytes of a message, at most.
BatchShape read_batch(const protocol::RequestHeader& header, std::span<const std::byte> message,
                      std::size_t limit);

// From an item, or a new one before the first, to the one behind it.
void go_to_next(Item& item, std::span<const std::byte> message);

// The item as if it had come alone, for reports and for what executes single requests.
protocol::RequestHeader header_of(const protocol::RequestHeader& batch, const Item& item,
                                  std::span<const std::byte> message, std::uint64_t number);

}  // namespace comex::pr
