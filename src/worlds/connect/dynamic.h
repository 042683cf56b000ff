// The only place that uses MPI's dynamic processes: to start a world, join two, and part them again.
//
// Every call may wait for others. So it is made only when these are on their way, and never without a
// TimeLimit around it, which ends the job if this proves wrong. Errors carry MPI's own text. Used by worlds
// on workers and progress ranks.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "core/ids.h"
#include "core/packing.h"
#include "core/status.h"
#include "worlds/agreement/deadline.h"
#include "worlds/bridge/bridge.h"

namespace comex::runtime {
struct World;
}

namespace comex::worlds {

// Processes that this one has spawned, until they have met it over a port of the runtime. It holds MPI's
// connection with them and the message to them, which is left to MPI if they never take it.
class Children {
 public:
  Children(MPI_Comm inter, Bytes message);
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children();

 private:
  MPI_Comm inter_;
  Bytes message_;
  MPI_Request sending_ = MPI_REQUEST_NULL;
};

// Called by one process alone. When it returns, the children have started and been in MPI_Init. They get the
// message by hear_spawner.
Result<std::unique_ptr<Children>> spawn(const char* program, std::vector<std::string> arguments,
                                        int processes, Bytes message);
// Collective over a spawned MPI_COMM_WORLD, once: returns the message and drops MPI's connection with the
// parent. Empty: nobody has spawned this process, or who has says nothing within the limit.
Bytes hear_spawner(const Deadline& deadline);

// A port of MPI. It stays open while this lives, which is until those that know it have connected.
class MpiPort {
 public:
  static Result<std::unique_ptr<MpiPort>> open();
  MpiPort(const MpiPort&) = delete;
  MpiPort& operator=(const MpiPort&) = delete;
  ~MpiPort();

  const std::string& name() const { return name_; }

 private:
  explicit MpiPort(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

enum class MeetingSide : unsigned char { accepts, connects };
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
// Collective over the rosters of both sides: joins the ranks of each in one communicator, and joins that with
// the other side's, the accepting side first. Returns what a bridge is opened with, its limit included.
Result<BridgeFacts> join_sides(const runtime::World& own, const runtime::Reporter& reporter, MPI_Comm wire,
                               const Roster& roster);
// Collective over all joined processes, which have freed the wire. Afterwards MPI does not know the other
// side any more.
void part(MPI_Comm inter);

}  // namespace comex::worlds
