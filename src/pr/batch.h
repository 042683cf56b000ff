// A batch message taken apart: its items one by one, and what it touches as a whole.
//
// Pure; it trusts nothing: read_batch() says whether the bytes are consistent, next_item() may be used on
// those that are. Items point into the message, which must stay in place. Called by the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/protocol.h"
#include "pr/order.h"
#include "pr/rmw.h"

namespace comex::pr {

struct Item {
  protocol::BatchItem head;
  Naming named;
  const std::byte* rest = nullptr;  // what follows head and name
  std::size_t end = 0;              // of the item, in the message

  Scalar scalar() const { return static_cast<Scalar>(protocol::kind_of(head)); }
  WordChange word() const {  // rmw
    WordChange change{static_cast<protocol::Atomic>(protocol::kind_of(head)), head.bytes, 0, 0};
    std::memcpy(&change.operand, rest, sizeof change.operand);
    if (change.atomic == protocol::Atomic::compare_swap) {
      std::memcpy(&change.desired, rest + sizeof change.operand, sizeof change.desired);
    }
    return change;
  }
  const std::byte* data() const {  // put and acc
    return head.verb == protocol::Verb::acc ? rest + protocol::padded(scalar_bytes(scalar())) : rest;
  }
};

struct BatchShape {
  bool is_sound = false;
  // One verb and scalar if all items have them, else those of an rmw, which nothing may pass.
  Footprint footprint;
};

BatchShape read_batch(const protocol::RequestHeader& header, std::span<const std::byte> message);

Item next_item(std::span<const std::byte> message, std::size_t at);

// The item as if it had come alone, for reports and for what executes single requests.
protocol::RequestHeader header_of(const protocol::RequestHeader& batch, const Item& item,
                                  std::uint64_t number);

}  // namespace comex::pr
