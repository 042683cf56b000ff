// Joins the workers of a group and the progress ranks that serve them in one communicator, and joins that
// with the other side's.
//
// All ranks of a roster call with the same roster, and all that they wait for are on their way. Used by the
// workers of a meeting and by the progress ranks that are called to it.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "core/ids.h"
#include "core/packing.h"
#include "core/status.h"
#include "runtime/communicator.h"
#include "worlds/connect/dynamic.h"

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

Result<JoinedComms> make_intercommunicator(MPI_Comm wire, const Roster& roster);

// Holds MPI's data of a meeting until both sides part, or until this process has nobody to part from.
class Intercommunicator {
 public:
  explicit Intercommunicator(MPI_Comm inter) : inter_(inter) {}
  ~Intercommunicator();
  Intercommunicator(const Intercommunicator&) = delete;
  Intercommunicator& operator=(const Intercommunicator&) = delete;
  // Collective over both sides.
  void part(runtime::Communicator all);

 private:
  MPI_Comm inter_;
};

}  // namespace comex::worlds
