// Describes a request that the server refuses: the reason and the access at fault. Made by Server.
#pragma once

#include <cstdint>

#include "core/ids.h"
#include "core/protocol.h"
#include "shm/extents.h"

namespace comex::pr {

// Why a request is refused, and which access of it is at fault.
struct BadAccess {
  protocol::Refusal refusal = protocol::Refusal::none;
  std::uint64_t offset = 0;  // in the arena
  std::uint64_t bytes = 0;   // for no_such_mutex: the number of mutexes

  explicit operator bool() const { return refusal != protocol::Refusal::none; }
};

// The server gives this to its owner at once, who prints the line and ends the job unless the header carries
// errors_return.
struct RefusedRequest {
  TransportRank from = no_rank;
  protocol::RequestHeader header;
  BadAccess fault;
};

constexpr protocol::Refusal refusal_of(shm::BoundsVerdict verdict) {
  switch (verdict) {
    case shm::BoundsVerdict::ok:
      return protocol::Refusal::none;
    case shm::BoundsVerdict::no_extent:
      return protocol::Refusal::no_extent;
    case shm::BoundsVerdict::wrong_owner:
      return protocol::Refusal::wrong_owner;
    case shm::BoundsVerdict::past_end:
      return protocol::Refusal::past_end;
    case shm::BoundsVerdict::retired:
      return protocol::Refusal::freed;
  }
  return protocol::Refusal::malformed;
}

}  // namespace comex::pr
