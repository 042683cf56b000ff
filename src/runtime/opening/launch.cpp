#include "runtime/opening/launch.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/environment.h"
#include "runtime/opening/steps.h"

namespace comex::runtime {
namespace {

constexpr int parking_tag = 0;
constexpr std::uint64_t parked_nap_ns = 5'000'000;

// MPI_Finalize may wait for the dead for ever, so a progress rank that knows of some ends without it.
void end_after_failures(const World& world) {
  if (world.failures.epoch() == 0) return;
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace

void Launch::tell_progress_ranks(Command command) const {
  for (const int rank : share_.host.progress_ranks) {
    mpi_check()(PMPI_Send(&command, 1, MPI_BYTE, rank, parking_tag, parked_.get()), "MPI_Send");
  }
}

void Launch::release_progress_ranks() {
  // The hook of MPI_Finalize also calls this on a progress rank that was a worker over some communicator
  // before.
  if (has_split() && first_opening_->place.role == pr::Role::worker) tell_progress_ranks(Command::quit);
}

Launch::Command Launch::park(const World& world, std::size_t quits_expected) {
  std::size_t quits = 0;
  while (quits < quits_expected) {
    int is_there = 0;
    mpi_check()(PMPI_Iprobe(MPI_ANY_SOURCE, parking_tag, parked_.get(), &is_there, MPI_STATUS_IGNORE),
                "MPI_Iprobe");
    if (is_there == 0) {
      world.os->sleep_ns(parked_nap_ns);
      continue;
    }
    Command command = Command::quit;
    mpi_check()(
        PMPI_Recv(&command, 1, MPI_BYTE, MPI_ANY_SOURCE, parking_tag, parked_.get(), MPI_STATUS_IGNORE),
        "MPI_Recv");
    if (command == Command::wake) return command;
    ++quits;
  }
  return Command::quit;
}

std::unique_ptr<World> Launch::over_all_ranks(const WorldJoiner& joiner) {
  if (!parked_) {
    const mpi::YieldScope while_waiting(mpi_in_use().yield_switch(), true);
    parked_ = Communicator::duplicate(MPI_COMM_WORLD);
    mpi_check().let_errors_return(parked_.get());
  }
  if (has_split() && share_.host_workers().front() == parked_.rank()) tell_progress_ranks(Command::wake);
  for (;;) {
    auto world = open_world(MPI_COMM_WORLD, *reporter_, openings_++, parents_,
                            first_opening_ ? &*first_opening_ : nullptr);
    if (!has_split()) first_opening_ = {world->settings, world->place};
    share_ = world->share;
    if (world->is_worker()) return world;
    const std::size_t workers = share_.host_workers().size();
    serve(*world, *reporter_, joiner);
    end_after_failures(*world);
    world->transport.reset();
    world->arena.reset();
    world->wire = Communicator();  // the workers free theirs before they say quit, and MPI may wait for all
    if (park(*world, workers) == Command::quit) {
      world.reset();
      PMPI_Finalize();
      std::exit(EXIT_SUCCESS);
    }
  }
}

std::unique_ptr<World> Launch::over(MPI_Comm comm, const WorldJoiner& joiner) {
  auto world = open_world(comm, *reporter_, openings_++, parents_, nullptr);
  if (!world->is_worker()) {
    serve(*world, *reporter_, joiner);
    unbind(*world);
  }
  return world;
}

}  // namespace comex::runtime
