// Who is who: the small names every folder uses.
//
// An lpid has meaning only to the process that holds it; in the own world it equals the worker
// number. A gpid names one process for everybody. A transport rank is a rank of the wire
// communicator, which counts progress ranks too.
#pragma once

#include <compare>
#include <cstdint>

namespace comex {

using Lpid = std::int32_t;           // local process id: index into this process's table
using WorldId = std::uint32_t;       // manager in the upper 8 bits, number within its launch below
using Worker = std::uint32_t;        // worker number within its world
using TransportRank = std::int32_t;  // rank in the wire communicator
using BridgeId = std::uint32_t;      // number of a bridge within this process

inline constexpr Lpid no_lpid = -1;
inline constexpr TransportRank no_rank = -1;
inline constexpr BridgeId no_bridge = 0;  // the wire of the own world will do

struct Gpid {
  WorldId world = 0;
  std::uint32_t rank = 0;
  friend auto operator<=>(const Gpid&, const Gpid&) = default;
};

// On whose behalf a process asks: one of its endpoints, with its rank in the group that it asks through, or,
// as endpoint 0, itself. Travels in requests.
struct Requester {
  std::uint32_t endpoint = 0;
  std::uint32_t rank = 0;
  explicit operator bool() const { return endpoint != 0; }
};

// Whom a call of the program names: a rank of a group, by its handle. Of the world (0) ranks are worker
// numbers, so that nothing is to be said besides. Travels in requests, for the lines about them.
struct Naming {
  std::int32_t group = 0;
  std::int32_t rank = 0;
  explicit operator bool() const { return group != 0; }
};

// Drawn at random, so that no two are alike: of a launch, of a world.
struct Id128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Id128&, const Id128&) = default;
};

}  // namespace comex
