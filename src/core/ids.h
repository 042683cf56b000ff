// The identifiers of processes, worlds and bridges that every folder uses.
//
// An lpid has meaning only in the process that holds it; for the own world it equals the worker number. A
// gpid identifies one process for everybody. A transport rank is a rank of the wire communicator, which
// includes the progress ranks.
#pragma once

#include <compare>
#include <cstdint>

namespace comex {

using Lpid = std::int32_t;           // local process id: index into this process's table
using WorldId = std::uint32_t;       // upper 8 bits: manager; lower 24 bits: number within its launch
using Worker = std::uint32_t;        // worker number within its world
using TransportRank = std::int32_t;  // rank in the wire communicator
using BridgeId = std::uint32_t;      // number of a bridge within this process

inline constexpr Lpid no_lpid = -1;
inline constexpr TransportRank no_rank = -1;
inline constexpr BridgeId no_bridge = 0;  // stands for the wire of the own world

struct Gpid {
  WorldId world = 0;
  std::uint32_t rank = 0;
  friend auto operator<=>(const Gpid&, const Gpid&) = default;  // NOLINT(modernize-use-nullptr)
};

// The party for which a process sends a request: one of its endpoints, with its rank in the group that it
// uses, or the process itself (endpoint 0). Requests carry it.
struct Requester {
  std::uint32_t endpoint = 0;
  std::uint32_t rank = 0;
  explicit operator bool() const { return endpoint != 0; }
};

// How a call names its target: as a rank of a group, given by the group's handle. Ranks of group 0, the
// world, are worker numbers and need no further name. Requests carry it for the text of error lines.
struct TargetName {
  std::int32_t group = 0;
  std::int32_t rank = 0;
  explicit operator bool() const { return group != 0; }
};

// A random identifier of a launch or of a world. It is random so that no two are equal.
struct Id128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Id128&, const Id128&) = default;
};

}  // namespace comex
