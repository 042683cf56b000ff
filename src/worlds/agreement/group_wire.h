// Where the processes of a group stand: the wire that they share, and their ranks in it.
//
// Of a group of the own world that wire is the world's, of another its bridge's. Used by meeting and by the
// calls in which leaders talk.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/connect/side.h"

namespace comex::worlds {

struct GroupWire {
  MPI_Comm wire = MPI_COMM_NULL;
  op::ControlMessages* control = nullptr;
  std::vector<TransportRank> workers;         // by rank in the group
  std::vector<TransportRank> progress_ranks;  // that serve them, ascending
  std::vector<Helper> helpers;                // the same by name
};
GroupWire group_wire_of(runtime::Runtime& runtime, const groups::Group& group);

// The control messages that reach a process of a group, and its rank for them.
struct Route {
  op::ControlMessages* control = nullptr;
  TransportRank rank = no_rank;
};
Route route_to(runtime::Runtime& runtime, BridgeId bridge, Lpid lpid);
// What is said of two processes that have no way to each other.
std::string no_connection(Gpid from, Gpid to);

}  // namespace comex::worlds
