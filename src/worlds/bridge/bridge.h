// Joins the processes of two or more worlds for one-sided operations, fences and collectives.
//
// Its wire is an intracommunicator of all joined workers and of the progress ranks that serve them, low side
// first. To open it, and to end it together, is collective over the wire and waits only for ranks that are on
// their way. A worker may have several bridges to one process: operations take the oldest, so there is one
// order; when it closes, after a fence, the next one takes over.
//
// It connects the members of groups that were made over it and not disconnected. Every member of such a group
// knows it. So all members of a list find the same answer, whoever else has left the bridge. It ends with a
// group that spans all its workers. Used by worlds, and where groups are made and freed.
#pragma once

#include <cstdint>
#include <span>

#include "core/ids.h"
#include "core/protocol.h"
#include "groups/group.h"
#include "runtime/communicator.h"
#include "worlds/agreement/deadline.h"
#include "worlds/connect/ports/life_watch.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

struct BridgeFacts {
  runtime::Communicator wire;
  // MPI's data of the meeting, by which both sides part. Without it, the wire is all that they share. It is
  // freed with the bridge, also where the other side does not come: MPI_Finalize may wait for that one
  // otherwise.
  runtime::Communicator inter = {};
  double limit_s = Deadline::never;  // for parting in MPI
  LivenessLinks links = {};          // by which it learns of the others' deaths while the bridge is open
  std::uint32_t dead_workers = 0;    // of its own world: the most that one of it on the wire knows
  TimeLimit limit = {};  // of the meeting, until the links are watched: no death is noticed before
};

// On a worker.
BridgeId open_bridge(runtime::Runtime& runtime, BridgeFacts facts);
// Fences, and leaves the bridge's servers. Handles and implicit requests of its processes are complete
// afterwards. False when an operation of this worker was refused and nobody has been told.
//   together  waits for all workers of the bridge
//   alone     waits for nobody: for a worker that has no group on the bridge any more. Nobody reaches it over
//             the bridge afterwards. MPI keeps its data of the wire.
bool end_bridge(runtime::Runtime& runtime, BridgeId bridge, protocol::Leaving how);
// Handles the end of a link: the world is lost, everything under way on the bridge fails, and so does what
// starts later.
// One line tells which world and how, however many bridges it was on. Not collective. Afterwards only
// end_bridge may be called, which then waits for nobody.
void lose_bridge(runtime::Runtime& runtime, const EndedLink& end);

// Called by finalize: fences and leaves the servers, but does not wait for the other workers.
void leave_all_bridges(runtime::Runtime& runtime);

// True if one group over the bridge has all of these processes. Groups of the context `but` do not count.
bool are_together(runtime::Runtime& runtime, BridgeId bridge, std::span<const Lpid> lpids,
                  std::uint64_t but = 0);
// A freed group still keeps its members connected, though it has no handle any more.
void note_freed(runtime::Runtime& runtime, const groups::Group& group);
// Collective over the group, which is destroyed. COMEX_FAILURE when an operation of this worker was refused
// and nobody has been told, but not when the other side is lost. COMEX_PROC_FAILED when the group is of one
// world and a member has died.
int disconnect(runtime::Runtime& runtime, groups::Group& group, int handle);
// Collective over the bridge's workers; if the other side is lost, it waits for nobody. False when an
// operation of this worker was refused and nobody has been told.
bool part_bridge(runtime::Runtime& runtime, BridgeId id);

}  // namespace comex::worlds
