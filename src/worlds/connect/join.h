// The step of a meeting that happens inside MPI, on each rank of both sides: from a roster to an open bridge.
//
// All that it waits for are on their way; a time limit ends the job if this proves wrong. Used by meeting on
// workers and by ProgressRankCalls on progress ranks.
#pragma once

#include <functional>
#include <string>

#include "worlds/bridge/bridge.h"
#include "worlds/connect/intercommunicator.h"

namespace comex::worlds {

Result<BridgeId> join_bridge(runtime::Runtime& runtime, MPI_Comm wire, const Roster& roster,
                             std::function<Lpid(Gpid)> lpid_of);
void join_bridge(BridgeServices& services, MPI_Comm wire, const Roster& roster);

}  // namespace comex::worlds
