// How many items a batch takes: the message, its answers, and both where a server has to stop in it.
//
// Pure; the origin asks before each item, the server of the whole message. Used by op/remote and pr/batch.
#pragma once

#include <cstddef>

#include "core/protocol.h"

namespace comex {

struct BatchRoom {
  std::size_t items = 0;    // bytes of them
  std::size_t answers = 0;  // bytes of their data in the reply
  std::size_t ahead =
      0;  // the most by which answers exceeded the items that they and others before them are of

  constexpr BatchRoom with(std::size_t item, std::size_t answer) const {
    BatchRoom next{items + item, answers + answer, ahead};
    if (next.answers > next.items + next.ahead) next.ahead = next.answers - next.items;
    return next;
  }
  // Within messages of `limit` bytes, and a reply. ahead + items: the most of answers so far and items to
  // come, over all places to stop.
  constexpr bool is_kept(std::size_t limit) const {
    return sizeof(protocol::RequestHeader) + items <= limit && answers <= protocol::reply_data_bytes &&
           ahead + items <= limit;
  }
};

}  // namespace comex
