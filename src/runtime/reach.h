// The way of an operation to its target, in the own world or across a bridge. It is a value, made when an
// operation cannot take the short local path.
#pragma once

#include "groups/directory.h"
#include "op/direct.h"
#include "op/remote/remote.h"
#include "op/remote_target.h"
#include "op/stall_watch.h"

namespace comex::runtime {

struct Reach {
  Lpid lpid = no_lpid;
  Gpid gpid;                  // its rank is the worker number in its world
  groups::WorkerPlace place;  // on the wire that leads there; base: where its arena is mapped in this process
  op::Remote* remote = nullptr;
  BridgeId bridge = no_bridge;
  const op::Direct* direct = nullptr;  // null: its memory is not in this process's address space
  std::uint64_t owners_base = 0;       // of another world: where the owner has mapped its arena
  Requester by = {};                   // the party that acts
  TargetName named = {};               // the program's name for it

  Worker worker() const { return gpid.rank; }
  op::RemoteTarget remote_target() const {
    return {gpid.world, place.server, gpid.rank, place.base, place.server != place.rank, by, named};
  }
  // The reason to report while something waits for it.
  op::WaitReason reason(const char* operation) const {
    return {.operation = operation, .target = lpid, .server = place.server, .named = named};
  }
};

}  // namespace comex::runtime
