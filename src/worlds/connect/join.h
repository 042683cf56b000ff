// From a roster to an open bridge: the step of a meeting that happens inside MPI, on each rank of both sides.
//
// All that it waits for is on its way, and a limit ends the job where that proves wrong. Called by meeting on
// workers, by ProgressRankCalls on progress ranks.
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
