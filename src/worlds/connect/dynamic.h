// The only place that uses MPI's dynamic processes: to start a world, join two, and part them again.
//
// Every call may wait for others. So it is made only when these are on their way, and never without a
// TimeLimit around it. Errors carry MPI's own text. Communicators are plain handles; the caller owns those
// it gets. Used by worlds on workers and progress ranks.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "core/packing.h"
#include "core/status.h"
#include "runtime/communicator.h"
#include "worlds/agreement/deadline.h"

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
// Collective over `members` of both sides; the port is used at rank `root`. Returns the inter-communicator,
// and a communicator of all processes, the accepting side first.
struct JoinedComms {
  runtime::Communicator inter;
  runtime::Communicator all;
};
Result<JoinedComms> join(MeetingSide side, const std::string& port, int root, MPI_Comm members);
// Collective over all joined processes, which have freed `all`. Afterwards MPI does not know the other side
// any more.
void part(MPI_Comm inter);

}  // namespace comex::worlds
