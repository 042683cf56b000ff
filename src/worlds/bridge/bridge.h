// Joins the processes of two or more worlds: one-sided operations, fences and collectives travel over it.
//
// Its wire is an intracommunicator of all workers that are joined and of the progress ranks that serve them,
// low side first. open_bridge and close_bridge are collective over the wire; what they wait for is there
// already. A worker may have several bridges to one process: operations take the oldest, so that there is one
// order; when that one closes, after a fence, the next takes over. Called by worlds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/ids.h"
#include "core/status.h"
#include "runtime/communicator.h"

namespace comex::runtime {
class Runtime;
}

namespace comex::worlds {

class BridgeServices;

struct BridgeFacts {
  runtime::Communicator wire;
  // Workers: the lpid of each foreign worker, asked for in the order of the wire, once.
  std::function<Lpid(Gpid)> lpid_of = {};
  // What becomes of the wire when all have left the bridge; collective over it. Unset: it is freed.
  std::function<void(runtime::Communicator)> release = {};
  // Called instead where the others are lost, or stay: the wire is left to MPI as it is.
  std::function<void()> abandon = {};
};

// On a worker. Fails on all ranks of the wire or on none; on failure the wire has been released.
Result<BridgeId> open_bridge(runtime::Runtime& runtime, BridgeFacts facts);
// Fences, waits for all workers of the bridge, takes leave of its servers. Handles and implicit requests of
// its processes are complete afterwards.
// False when something of this worker's was refused and nobody has been told.
bool close_bridge(runtime::Runtime& runtime, BridgeId bridge);
// The same without the others, who may stay: for a worker that has no group on it any more. It waits for
// nobody and is not reached over it any more; MPI keeps what it knows of the wire until the end.
bool leave_bridge(runtime::Runtime& runtime, BridgeId bridge);
// A world on it is lost, and the bridge with it: what is under way there fails, and so does what is started
// later. One line says which world, and how, whichever bridges it was on. Not collective; only close_bridge
// without the others remains, which waits for nobody then.
void lose_bridge(runtime::Runtime& runtime, BridgeId bridge, WorldId world, const std::string& how);

// From finalize: fences and takes leave of servers, but does not wait for the other workers.
void leave_all_bridges(runtime::Runtime& runtime);

// On a progress rank, between two rounds of its loop. It leaves with all workers of the wire or, where one of
// them went alone, when those of its world and whom it serves have left.
Status open_bridge(BridgeServices& services, BridgeFacts facts);

}  // namespace comex::worlds
