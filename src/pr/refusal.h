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

// The first refusals are the verdicts of a check of bounds.
constexpr protocol::Refusal refusal_of(shm::BoundsVerdict verdict) {
  return static_cast<protocol::Refusal>(verdict);
}
constexpr shm::BoundsVerdict verdict_of(protocol::Refusal refusal) {
  return static_cast<shm::BoundsVerdict>(refusal);
}
static_assert(refusal_of(shm::BoundsVerdict::ok) == protocol::Refusal::none &&
              refusal_of(shm::BoundsVerdict::no_extent) == protocol::Refusal::no_extent &&
              refusal_of(shm::BoundsVerdict::wrong_owner) == protocol::Refusal::wrong_owner &&
              refusal_of(shm::BoundsVerdict::past_end) == protocol::Refusal::past_end &&
              refusal_of(shm::BoundsVerdict::retired) == protocol::Refusal::freed);

}  // namespace comex::pr
