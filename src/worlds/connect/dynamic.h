// The only users of MPI's dynamic processes: start a world, join two, part them again.
//
// Every call may wait for others, so it is made only when those others are on their way, and never without a
// limit around it (time_limit.h). Errors come back with MPI's own words. Communicators are plain
// handles: whoever gets one owns it. Called by worlds on workers and progress ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "core/status.h"

namespace comex::worlds {

struct SpawnPlan {
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // for the children, beside what they inherit
  int processes = 1;
};

// By one process alone. The children are started and have been in MPI_Init when it returns; what is joined is
// let go again: worlds meet over a port of ours.
Status spawn(const SpawnPlan& plan);
// On a child, once: lets go of what MPI joined it to. False: nobody spawned this process.
bool leave_parent();

// A port of MPI, open as long as this lives: until those whom it was told have come through it.
class MpiPort {
 public:
  static Result<MpiPort> open();
  MpiPort(MpiPort&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  MpiPort& operator=(MpiPort&&) = delete;
  MpiPort(const MpiPort&) = delete;
  MpiPort& operator=(const MpiPort&) = delete;
  ~MpiPort();

  const std::string& name() const { return name_; }

 private:
  explicit MpiPort(std::string name) : name_(std::move(name)) {}

  std::string name_;  // empty: moved from
};

enum class Side : unsigned char { accepts, connects };
// Collective over `members` and over the other side's; the port counts at rank `root`. The pair: the
// inter-communicator, and all processes in one, the accepting side first.
struct JoinedComms {
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
};
Result<JoinedComms> join(Side side, const std::string& port, int root, MPI_Comm members);
// Collective over all that were joined, who have let go of `all`; afterwards MPI does not know the others any
// more.
void part(MPI_Comm inter);

}  // namespace comex::worlds
