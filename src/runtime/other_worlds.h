// The interfaces through which the runtime uses the part that joins this world with others.
//
// The runtime itself knows one world. `worlds` implements these interfaces, and the code that initializes the
// runtime passes a WorldJoiner, which makes the objects. A worker has one OtherWorlds and a progress rank one
// BridgeService, for as long as their world is open.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/ids.h"
#include "groups/directory.h"
#include "nb/completion.h"
#include "op/control_messages.h"
#include "op/direct.h"
#include "op/remote/remote.h"
#include "op/remote_target.h"
#include "op/stall_watch.h"
#include "transport/transport.h"

namespace comex::runtime {

class ProgressLoop;
class Runtime;

// The way of an operation to its target, in the own world or across a bridge. It is a value, made when an
// operation cannot take the short local path.
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

// How control messages reach a process: the messages of a wire, and the rank there. Null: no way leads there.
struct ControlRoute {
  op::ControlMessages* control = nullptr;
  TransportRank rank = no_rank;
};

// On a worker.
class OtherWorlds {
 public:
  virtual ~OtherWorlds() = default;
  // Finds the way to a process of another world. False when no bridge leads there any more.
  virtual bool find(Lpid lpid, Reach& found) const = 0;
  // To a process on a bridge. All groups of a bridge are freed before it closes.
  virtual ControlRoute route_to(BridgeId bridge, Lpid lpid) const = 0;
  // Why the other side of a bridge is lost; empty: it is not lost.
  virtual std::string why_lost(BridgeId bridge) = 0;
  // Looks for worlds that are lost, and acts on it. The program's own thread calls it between two rounds.
  virtual void tell_losses() = 0;
  // So many workers of this world have died, and the others go on: parts it from all other worlds that it met
  // before the last of them was known to be dead.
  virtual void part_after_death(std::uint32_t dead_workers) = 0;
  // Adds a part to the completion for each bridge that has something under way.
  virtual void start_fence_all(nb::Completion& completion) = 0;
  virtual void on_group_removed(int handle) = 0;
  // No process of that world is connected any more, and its number may be used again.
  virtual void on_world_freed(WorldId world) = 0;
  // Called in a forked child: without it, locks that its parent holds in their arenas would outlive the
  // parent.
  virtual void drop_lives_in_child() = 0;
  // Called by finalize: fences all bridges and leaves their servers, without waiting for other workers.
  virtual void leave() = 0;
};

// On a progress rank.
class BridgeService {
 public:
  virtual ~BridgeService() = default;
  // Handles a control message from this wire.
  virtual void on_control(transport::Transport& transport, MPI_Comm wire,
                          const transport::Message& message) = 0;
  // The same as on a worker.
  virtual void part_after_death(std::uint32_t dead_workers) = 0;
  // Advances the bridges between two rounds of the own world. Returns how many messages it moved.
  virtual unsigned advance() = 0;
  virtual bool has_bridges() const = 0;
  // True if no process of another world depends on this rank any more.
  virtual bool may_end() const = 0;
};

// What a spawned world hears from its parents before it opens.
struct Parents {
  Id128 launch;           // of the parents, and so of this world
  std::uint32_t job = 0;  // the number of this world's job within the launch, from 1
  std::string port;  // where the parents wait for this world; empty: MPI knows none, and nothing was heard
  bool are_known() const { return !port.empty(); }
};

// How the above are made, and how a world that was spawned meets its parents.
struct WorldJoiner {
  // Collective over MPI_COMM_WORLD, before its first world opens. Empty: this world was not spawned.
  std::optional<Parents> (*hear_parents)();
  std::unique_ptr<OtherWorlds> (*on_worker)(Runtime& runtime);
  std::unique_ptr<BridgeService> (*on_progress_rank)(ProgressLoop& loop);
  // Collective over the workers of the first world, once it is open. False: the world must close again.
  bool (*meet_parents)(Runtime& runtime);
};

}  // namespace comex::runtime
