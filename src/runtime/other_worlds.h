// What the runtime asks of the part that joins this world with others.
//
// The runtime itself knows one world. `worlds` implements these interfaces, and whoever initializes the
// runtime hands in the WorldJoiner that makes them. A worker has one OtherWorlds, a progress rank one
// BridgeService, each for as long as its world is open.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "groups/world_book.h"
#include "nb/completion.h"
#include "op/control_messages.h"
#include "runtime/reach.h"
#include "transport/transport.h"

namespace comex::runtime {

class ProgressLoop;
class Runtime;

// On a worker. It is told of connections that come into use and fall out of it.
class OtherWorlds : public groups::ConnectionListener {
 public:
  // How to get to a process of another world. False when nothing leads there any more.
  virtual bool find(Lpid lpid, Reach& found) const = 0;
  // Where a process is on the wire of a bridge, and the messages of collectives there. A bridge outlives the
  // groups on it.
  virtual TransportRank rank_on(BridgeId bridge, Lpid lpid) const = 0;
  virtual op::ControlMessages& control_of(BridgeId bridge) = 0;
  // Why the other side of a bridge is lost; empty: it is not.
  virtual std::string why_lost(BridgeId bridge) = 0;
  // Acts on losses that another thread has noted: the program's own thread calls it, between two rounds.
  virtual void tell_losses() = 0;
  // Adds a part to the completion for each bridge on which something is under way.
  virtual void start_fence_all(nb::Completion& completion) = 0;
  virtual void on_group_removed(int handle) = 0;
  // From finalize: fences all bridges and takes leave of their servers, without waiting for other workers.
  virtual void leave() = 0;
};

// On a progress rank.
class BridgeService {
 public:
  virtual ~BridgeService() = default;
  // A control message that came over this wire.
  virtual void on_control(transport::Transport& transport, MPI_Comm wire,
                          const transport::Message& message) = 0;
  // Does what is due on bridges between two rounds of the own world; returns how many messages it moved.
  virtual unsigned advance() = 0;
  virtual bool has_bridges() const = 0;
  // Nobody of another world depends on this rank any more.
  virtual bool may_end() const = 0;
};

class WorldJoiner {
 public:
  virtual ~WorldJoiner() = default;
  // On every rank, before its first world opens.
  virtual void before_first_world() const = 0;
  virtual std::unique_ptr<OtherWorlds> on_worker(Runtime& runtime) const = 0;
  virtual std::unique_ptr<BridgeService> on_progress_rank(ProgressLoop& loop) const = 0;
  // Collective over the workers of the first world, once it is open. False: it must close again.
  virtual bool meet_parents(Runtime& runtime) const = 0;
};

}  // namespace comex::runtime
