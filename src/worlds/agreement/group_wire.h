// The wire that the processes of a group share, and their ranks on it.
//
// For a group of the own world it is the world's wire, for other groups the bridge's. Used by meeting and by
// the calls in which leaders talk.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "worlds/bridge/bridge_map.h"
#include "worlds/connect/side.h"

namespace comex::worlds {

struct GroupWire {
  MPI_Comm wire = MPI_COMM_NULL;
  op::ControlMessages* control = nullptr;
  std::vector<TransportRank> workers;  // by rank in the group
  ProgressRanks progress_ranks;        // the ones that serve the workers
};
// Of a progress rank on a bridge's wire.
ProgressRankId progress_rank_id(const BridgeMap& wire, TransportRank rank);
GroupWire group_wire_of(runtime::Runtime& runtime, const groups::Group& group);

// How control messages reach a process of a group: the messages of a wire, and the rank there.
struct ControlRoute {
  op::ControlMessages* control = nullptr;
  TransportRank rank = no_rank;
};
ControlRoute route_to(runtime::Runtime& runtime, BridgeId bridge, Lpid lpid);
// The text for two processes with no way to each other.
std::string no_connection(Gpid from, Gpid to);

}  // namespace comex::worlds
