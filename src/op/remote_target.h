// Names the target of a remote operation as the wire does: where it lives, and on whose behalf it is asked.
// Runtime and Reach make this value.
#pragma once

#include <cstdint>

#include "core/ids.h"

namespace comex::op {

struct RemoteTarget {
  WorldId world = 0;
  TransportRank server = no_rank;  // serves the target's memory
  Worker target = 0;               // worker number within its world
  std::uint64_t offset_base = 0;   // arena offset = address in the target's arena - offset_base
  // A progress rank answers whatever programs do, so the origin may wait for its credits.
  bool has_progress_rank = true;
  Requester by = {};
  TargetName named = {};  // as the program names it

  std::uint64_t offset_of(const void* far) const {
    return reinterpret_cast<std::uintptr_t>(far) - offset_base;
  }
  Gpid gpid() const { return {world, target}; }
};

}  // namespace comex::op
