// The step of a meeting that happens inside MPI, on each rank of both sides: from a roster to what a bridge
// is opened with.
//
// It joins the workers of a group and the progress ranks that serve them in one communicator, and joins that
// with the other side's. All ranks of a roster call with the same roster. All that it waits for are on their
// way; a time limit ends the job if this proves wrong. Used by meeting on workers and by BridgeServices on
// progress ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "core/ids.h"
#include "core/status.h"
#include "worlds/bridge/bridge.h"
#include "worlds/connect/dynamic.h"

namespace comex::runtime {
class Reporter;
struct World;
}  // namespace comex::runtime

namespace comex::worlds {

// The ranks that come together, and where. It travels to the progress ranks.
struct Roster {
  std::vector<TransportRank> ranks;  // on the wire: workers in group order, then progress ranks
  std::uint32_t root = 0;            // index of the leader, whose port counts
  MeetingSide side = MeetingSide::accepts;
  std::string port;  // of MPI
  double limit_s = 0;

  // Visits the fields in the order in which they travel.
  static void for_each_field(auto& roster, auto&& visit) {
    visit(roster.ranks);
    visit(roster.root);
    visit(roster.side);
    visit(roster.port);
    visit(roster.limit_s);
  }
};

Result<BridgeFacts> join_sides(const runtime::World& own, const runtime::Reporter& reporter, MPI_Comm wire,
                               const Roster& roster);

}  // namespace comex::worlds
