#include "api/worlds/identity.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "api/environment.h"
#include "api/exchange.h"
#include "groups/world_identity.h"

namespace comex::api {
namespace {

std::int32_t number_in(const Lookup& environment, const char* name, std::int32_t fallback) {
  const auto text = environment(name);
  if (text) std::from_chars(text->data(), text->data() + text->size(), fallback);
  return fallback;
}

// What the launcher calls itself: the same for all jobs of the launch.
std::string launcher_name(const Lookup& environment) {
  if (auto contact = environment("OMPI_MCA_orte_hnp_uri"); contact) return *contact;
  const std::string name = environment("PMIX_NAMESPACE").value_or("");
  const std::size_t at = name.rfind('@');
  return at == std::string::npos ? std::string() : name.substr(0, at);
}

groups::LaunchFacts launch_facts(const World& world, const Lookup& environment) {
  const WorldFacts& lowest = *std::ranges::min_element(world.facts, {}, &WorldFacts::mpi_rank);
  groups::LaunchFacts facts;
  facts.manager = static_cast<std::uint32_t>(world.settings.manager);
  facts.job = groups::job_of_namespace(environment("PMIX_NAMESPACE").value_or(""));
  facts.lowest_rank = static_cast<std::uint32_t>(lowest.mpi_rank);
  facts.opening = lowest.opening;
  return facts;
}

}  // namespace

Status name_world(transport::Collective& all, std::uint32_t opening, World& world) {
  const Lookup environment = environment_lookup();
  int ranks_in_all = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks_in_all);
  WorldFacts mine;
  PMPI_Comm_rank(MPI_COMM_WORLD, &mine.mpi_rank);
  mine.app = number_in(environment, "OMPI_MCA_orte_app_num", 0);
  mine.told_node_rank = number_in(environment, "OMPI_COMM_WORLD_NODE_RANK", groups::unknown_rank);
  mine.opening = opening;
  mine.nonce = {world.os->random_bits(), world.os->random_bits()};
  mine.launch = groups::decide_launch_id(launcher_name(environment),
                                         {world.os->random_bits(), world.os->random_bits()});
  world.facts = gather(all, mine);

  // One launcher may tell its hosts different things: what rank 0 was told holds.
  const groups::LaunchFacts facts = launch_facts(world, environment);
  const Result<WorldId> named = groups::decide_world_id(facts);
  world.id = named ? named.value() : 0;
  broadcast(all, world.id, 0);
  world.is_first_job = all.size() == ranks_in_all && groups::is_of_first_job(facts);
  broadcast(all, world.is_first_job, 0);
  world.description.id = world.id;
  world.description.nonce = world.facts.front().nonce;
  world.description.launch = world.facts.front().launch;
  return named || all.rank() != 0 ? Status() : Status(named.failure());
}

std::vector<std::int32_t> number_on_nodes(World& world, std::span<const pr::RankPlace> places) {
  std::vector<groups::PlacedProcess> placed;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    placed.push_back({static_cast<std::uint32_t>(places[rank].host), world.facts[rank].app});
  }
  const std::vector<groups::ProcessRanks> ranks = groups::rank_processes(placed);
  // Others meet processes on their hosts that only the launcher knows of.
  const bool knows_all = world.is_first_job;
  std::vector<std::int32_t> node_ranks;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    node_ranks.push_back(knows_all ? ranks[rank].node_rank : world.facts[rank].told_node_rank);
  }
  world.app_rank = ranks[static_cast<std::size_t>(world.wire.rank())].app_rank;
  world.description.size = world.share.workers;
  world.facts = {};
  return node_ranks;
}

}  // namespace comex::api
