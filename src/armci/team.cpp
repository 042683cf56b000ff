#include "armci/team.h"

#include <comex/worlds.h>

#include <algorithm>
#include <map>

#include "armci/state.h"
#include "armci/wait_loop.h"

namespace comex::armci {
namespace {

// Close to the highest tag that every MPI allows, where programs rarely use tags.
constexpr int first_tag = 32700;

int index_in(const std::vector<int>& ranks, int rank) {
  const auto found = std::ranges::find(ranks, rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

}  // namespace

GroupTeams::GroupTeams(comex_group_t group, bool duplicates, const std::vector<int>& domain_of)
    : is_borrowed_(!duplicates), world_of_(world_ranks(group)) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (duplicates) end_at_death(comex_group_dup(group, &duplicate_));
  comex_group_comm(duplicates ? duplicate_ : group, &comm);  // one member alone may go without
  if (duplicates && comm != MPI_COMM_NULL) {
    // A message that is longer than its place gets our line.
    require_mpi(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  if (world_of_.size() > 1 && comm == MPI_COMM_NULL)
    comex_error("messages need a communicator of MPI, which this group has not", group);
  int me = 0;
  comex_group_rank(group, &me);
  std::map<int, int> first_of_domain;
  std::vector<int> domains;
  for (int rank = 0; rank < static_cast<int>(world_of_.size()); ++rank) {
    const int domain = domain_of[static_cast<std::size_t>(world_of_[static_cast<std::size_t>(rank)])];
    domains.push_back(domain);
    all_.ranks.push_back(rank);
    if (first_of_domain.try_emplace(domain, rank).second) masters_.ranks.push_back(rank);
  }
  for (int rank = 0; rank < static_cast<int>(domains.size()); ++rank) {
    if (domains[static_cast<std::size_t>(rank)] == domains[static_cast<std::size_t>(me)]) {
      node_.ranks.push_back(rank);
    }
  }
  int tag = first_tag;
  for (Team* team : {&all_, &node_, &masters_}) {
    team->comm = comm;
    team->tag = tag++;
    team->index = index_in(team->ranks, me);
    team->world_of = &world_of_;
  }
}

const Team& GroupTeams::team(int scope) const {
  switch (scope) {
    case SCOPE_NODE:
      return node_;
    case SCOPE_MASTERS:
      return masters_;
    case SCOPE_ALL:
      return all_;
    default:
      comex_error("a message's scope is none of SCOPE_ALL, SCOPE_NODE and SCOPE_MASTERS", scope);
      return all_;
  }
}

int GroupTeams::index_of_world(const Team& team, int world_rank) const {
  const int rank = index_in(world_of_, world_rank);
  return rank < 0 ? -1 : index_in(team.ranks, rank);
}

int GroupTeams::world_rank(const Team& team, int index) const {
  return world_of_[static_cast<std::size_t>(team.ranks[static_cast<std::size_t>(index)])];
}

}  // namespace comex::armci
