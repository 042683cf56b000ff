// Where the target of a remote operation lives, as the wire names it, and on whose behalf it is asked; a
// value made by Runtime and Reach.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ids.h"

namespace comex::op {

struct RemoteTarget {
  WorldId world = 0;
  TransportRank server = no_rank;  // who serves the target's memory
  Worker target = 0;               // worker number within its world
  std::uint64_t offset_base = 0;   // address in the target's arena - offset_base = arena offset
  // The server answers whatever any program does: one may wait for its credits.
  bool has_progress_rank = true;
  Requester by = {};
  TargetName named = {};  // by the program

  std::uint64_t offset_of(const void* far) const {
    return reinterpret_cast<std::uintptr_t>(far) - offset_base;
  }
  Gpid gpid() const { return {world, target}; }
};

}  // namespace comex::op
