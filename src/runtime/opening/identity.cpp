#include "runtime/opening/steps.h"

#include <algorithm>

#include "groups/world_identity.h"
#include "runtime/environment.h"
#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

// The number of this process's program among those of the launch, by the standard's attribute.
std::int32_t program_number() {
  void* number = nullptr;
  int is_set = 0;
  mpi_check()(PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &is_set), "MPI_Comm_get_attr");
  return is_set != 0 ? *static_cast<const int*>(number) : 0;
}

bool has_parents(const World& world) {
  return world.parents && world.parents->are_known();
}

// Collective. The launcher's number of the job counts where it gives one, because it also numbers what
// programs spawn.
groups::LaunchFacts launch_facts(transport::Collective& all, const World& world, std::uint32_t opening,
                                 std::optional<std::uint32_t> job) {
  groups::LaunchFacts facts;
  facts.manager = static_cast<std::uint32_t>(world.settings.manager);
  facts.job = job;
  if (!job && has_parents(world)) facts.job = world.parents->job;
  constexpr unsigned bits = 32;
  int mpi_rank = 0;
  mpi_check()(PMPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank), "MPI_Comm_rank");
  const std::uint64_t lowest = all.all_min(static_cast<std::uint64_t>(mpi_rank) << bits | opening);
  facts.lowest_rank = static_cast<std::uint32_t>(lowest >> bits);
  facts.opening = static_cast<std::uint32_t>(lowest);  // of that rank
  return facts;
}

// Collective. Nearly every launch has one program.
std::int32_t rank_in_program(transport::Collective& all) {
  const std::int32_t program = program_number();
  if (all.all_agree(program == 0)) return all.rank();
  return all.among(std::max(program, 0))->rank();
}

}  // namespace

Status name_world(transport::Collective& all, std::uint32_t opening, World& world) {
  const mpi::LaunchedProcess launched = launched_process();
  int ranks_in_all = 0;
  mpi_check()(PMPI_Comm_size(MPI_COMM_WORLD, &ranks_in_all), "MPI_Comm_size");
  world.app_rank = rank_in_program(all);
  world.node_rank = launched.number_on_host.value_or(groups::unknown_rank);
  world.description.nonce = {world.os->random_bits(), world.os->random_bits()};
  const Id128 drawn{world.os->random_bits(), world.os->random_bits()};
  world.description.launch =
      has_parents(world) ? world.parents->launch : groups::decide_launch_id(launched.launch, drawn);
  broadcast(all, world.description.nonce, 0);
  broadcast(all, world.description.launch, 0);

  // A launcher may tell its hosts different facts, so those of rank 0 count.
  const groups::LaunchFacts facts = launch_facts(all, world, opening, launched.job);
  const Result<WorldId> named = groups::decide_world_id(facts);
  world.id = named ? named.value() : 0;
  broadcast(all, world.id, 0);
  world.is_first_job = all.size() == ranks_in_all && groups::jobs_before(facts) == 0;
  broadcast(all, world.is_first_job, 0);
  world.description.id = world.id;
  return named || all.rank() != 0 ? Status() : Status(named.failure());
}

}  // namespace comex::runtime
