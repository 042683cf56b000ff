// Decides whether one more item fits into a batch.
//
// Three sums have limits: the message, the data of its reply, and what a server has to keep when it stops in
// the middle. The functions are pure. The origin (op/remote) asks before it adds an item; the server
// (pr/batch) checks the whole message.
#pragma once

#include <cstddef>

#include "core/protocol.h"

namespace comex {

struct BatchSize {
  std::size_t items = 0;    // bytes of all items
  std::size_t answers = 0;  // bytes of the data that the reply carries for them
  std::size_t ahead = 0;    // the largest excess of answers over the items that they answer and those before

  constexpr BatchSize with(std::size_t item, std::size_t answer) const {
    BatchSize next{items + item, answers + answer, ahead};
    if (next.answers > next.items + next.ahead) next.ahead = next.answers - next.items;
    return next;
  }
  // True if the items fit into a message of `limit` bytes and the answers into one reply. At each place where
  // a server may stop, the answers so far and the items to come have at most ahead + items bytes.
  constexpr bool fits(std::size_t limit) const {
    return sizeof(protocol::RequestHeader) + items <= limit && answers <= protocol::reply_data_bytes &&
           ahead + items <= limit;
  }
};

}  // namespace comex
