// Steers this process through its states: init, park, wake, quit.
//
//   first init        every rank opens the world; workers return, progress ranks serve
//   finalize          workers leave; progress ranks of MPI_COMM_WORLD park, asleep
//   next init         the lowest worker of each host wakes its progress ranks; the roles stay
//   MPI_Finalize      the workers' hook finalizes what is open and sends quit; progress ranks
//                     finalize MPI and exit 0
//
// With a communicator of the caller's, progress ranks return to the caller after finalize instead.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "pr/setup/world_split.h"
#include "runtime/communicator.h"
#include "runtime/opening/world.h"
#include "runtime/other_worlds.h"
#include "runtime/report.h"

namespace comex::runtime {

class Launch {
 public:
  explicit Launch(Reporter& reporter) : reporter_(&reporter) {}

  // Both are collective. A worker gets its world; a progress rank serves. over_all_ranks does not return on a
  // progress rank; over() does once the workers have finalized.
  std::unique_ptr<World> over_all_ranks(const WorldJoiner& joiner);
  std::unique_ptr<World> over(MPI_Comm comm, const WorldJoiner& joiner);
  // Before the first world opens: hears what those who spawned it say. They speak once.
  void hear_parents(const WorldJoiner& joiner) {
    if (!parents_ || !parents_->are_known()) parents_ = joiner.hear_parents();
  }
  // True once the roles in MPI_COMM_WORLD are decided: its progress ranks only serve or park.
  bool has_split() const { return first_opening_.has_value(); }

  // Called from MPI_Finalize on a worker while no world is open: the parked progress ranks end.
  void release_progress_ranks();

 private:
  enum class Command : unsigned char { wake, quit };

  void tell_progress_ranks(Command command) const;
  Command park(const World& world, std::size_t quits_expected);

  Reporter* reporter_;
  std::uint32_t openings_ = 0;  // worlds opened so far
  std::optional<Parents> parents_;
  Communicator parked_;                        // over MPI_COMM_WORLD; progress ranks wait on it
  std::optional<FirstOpening> first_opening_;  // of MPI_COMM_WORLD
  pr::SplitShare share_;                       // of its split
};

// Runs a progress rank: serves until every worker of its host has left.
void serve(World& world, Reporter& reporter, const WorldJoiner& joiner);

}  // namespace comex::runtime
