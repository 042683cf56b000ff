#include "runtime/opening/identity.h"

#include <charconv>
#include <string>

#include "groups/node_ranks.h"
#include "groups/world_identity.h"
#include "runtime/environment.h"
#include "runtime/exchange.h"

namespace comex::runtime {
namespace {

std::int32_t number_in(const Lookup& environment, const char* name, std::int32_t fallback) {
  const auto text = environment(name);
  if (text) std::from_chars(text->data(), text->data() + text->size(), fallback);
  return fallback;
}

// The launcher's name for itself, which is the same for all jobs of the launch.
std::string launcher_name(const Lookup& environment) {
  if (auto contact = environment("OMPI_MCA_orte_hnp_uri"); contact) return *contact;
  const std::string name = environment("PMIX_NAMESPACE").value_or("");
  const std::size_t at = name.rfind('@');
  return at == std::string::npos ? std::string() : name.substr(0, at);
}

// The rank of a world that is lowest in MPI_COMM_WORLD.
struct Lowest {
  std::uint32_t mpi_rank = 0;
  std::uint32_t opening = 0;  // worlds it has opened before
};

Lowest lowest_of(transport::Collective& all, std::uint32_t opening) {
  constexpr unsigned bits = 32;
  int mpi_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
  const std::uint64_t least = all.all_min(static_cast<std::uint64_t>(mpi_rank) << bits | opening);
  return {static_cast<std::uint32_t>(least >> bits), static_cast<std::uint32_t>(least)};
}

groups::LaunchFacts launch_facts(const World& world, const Lowest& lowest, const Lookup& environment) {
  groups::LaunchFacts facts;
  facts.manager = static_cast<std::uint32_t>(world.settings.manager);
  facts.job = groups::job_of_namespace(environment("PMIX_NAMESPACE").value_or(""));
  facts.lowest_rank = lowest.mpi_rank;
  facts.opening = lowest.opening;
  return facts;
}

}  // namespace

Status name_world(transport::Collective& all, std::uint32_t opening, World& world) {
  const Lookup environment = environment_lookup();
  int ranks_in_all = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_in_all);
  world.told.app = number_in(environment, "OMPI_MCA_orte_app_num", 0);
  world.told.node_rank = number_in(environment, "OMPI_COMM_WORLD_NODE_RANK", groups::unknown_rank);
  world.description.nonce = {world.os->random_bits(), world.os->random_bits()};
  world.description.launch = groups::decide_launch_id(launcher_name(environment),
                                                      {world.os->random_bits(), world.os->random_bits()});
  broadcast(all, world.description.nonce, 0);
  broadcast(all, world.description.launch, 0);

  // A launcher may tell its hosts different facts, so those of rank 0 count.
  const groups::LaunchFacts facts = launch_facts(world, lowest_of(all, opening), environment);
  const Result<WorldId> named = groups::decide_world_id(facts);
  world.id = named ? named.value() : 0;
  broadcast(all, world.id, 0);
  std::int64_t before = all.size() == ranks_in_all ? std::int64_t{groups::jobs_before(facts)} : -1;
  broadcast(all, before, 0);
  if (before >= 0) world.jobs_before = static_cast<std::uint32_t>(before);
  world.description.id = world.id;
  return named || all.rank() != 0 ? Status() : Status(named.failure());
}

// The launcher's numbers are right where no machine is cut. In the first world, they are not needed.
std::int32_t number_on_node(transport::Collective& machine, const World& world) {
  const std::int32_t on_host = world.place.local_index;
  if (world.jobs_before == 0U) return on_host;
  const auto cut = pr::parse_virtual_hosts(world.settings.virtual_hosts);
  const bool is_cut = cut && (cut->blocks > 1 || !cut->entries.empty());
  if (!is_cut || !world.jobs_before) return world.told.node_rank;
  static_assert(groups::unknown_rank == -1);
  const std::uint64_t least = machine.all_min(static_cast<std::uint64_t>(world.told.node_rank + 1));
  if (least == 0) return world.told.node_rank;  // a rank has no number from the launcher
  groups::MachineCut shape;
  shape.blocks = cut->entries.empty() ? static_cast<std::uint32_t>(cut->blocks) : 0;
  shape.ranks = static_cast<std::uint32_t>(world.own_host().ranks.size());
  shape.of_machine = static_cast<std::uint32_t>(cut->entries.size());
  return on_host + groups::first_node_rank(shape, {static_cast<std::int32_t>(least) - 1, *world.jobs_before});
}

}  // namespace comex::runtime
