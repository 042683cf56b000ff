#include "worlds/connect/intercommunicator.h"

#include <algorithm>

#include "core/protocol.h"
#include "runtime/mpi_in_use.h"

namespace comex::worlds {
namespace {

// It lies between the tags of bodies and of the transport's own probe, so no message of the wire uses it.
constexpr int roster_tag = 32766;
static_assert(protocol::get_tag(protocol::slot_count - 1) < roster_tag);

// Neighbouring blocks join in pairs: 1 with 1, 2 with 2, 4 with 4 and so on.
runtime::Communicator communicator_of(MPI_Comm wire, const std::vector<TransportRank>& ranks) {
  int mine_in_wire = 0;
  const auto& check = runtime::mpi_check();
  check(PMPI_Comm_rank(wire, &mine_in_wire), "MPI_Comm_rank");
  const auto me = static_cast<std::size_t>(std::ranges::find(ranks, mine_in_wire) - ranks.begin());
  COMEX_BUG_IF(me == ranks.size());
  runtime::Communicator joined = runtime::Communicator::duplicate(MPI_COMM_SELF);
  for (std::size_t width = 1; width < ranks.size(); width *= 2) {
    const std::size_t mine = me / width * width;
    const std::size_t other = mine ^ width;
    if (other >= ranks.size()) continue;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    check.let_errors_return(joined.get());
    check(PMPI_Intercomm_create(joined.get(), 0, wire, ranks[other], roster_tag, &both),
          "MPI_Intercomm_create");
    check.let_errors_return(both);
    check(PMPI_Intercomm_merge(both, mine > other ? 1 : 0, &merged), "MPI_Intercomm_merge");
    PMPI_Comm_free(&both);
    joined = runtime::Communicator(merged);
  }
  return joined;
}

}  // namespace

Result<JoinedComms> make_intercommunicator(MPI_Comm wire, const Roster& roster) {
  // On few cores, the awaited ranks need the processor to get here.
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  const runtime::Communicator members = communicator_of(wire, roster.ranks);
  return join(roster.side, roster.port, static_cast<int>(roster.root), members.get());
}

// Freed also where the other side does not come: MPI_Finalize may wait for that one otherwise.
Intercommunicator::~Intercommunicator() {
  if (inter_ != MPI_COMM_NULL && runtime::mpi_is_running()) PMPI_Comm_free(&inter_);
}

void Intercommunicator::part(runtime::Communicator all) {
  const mpi::YieldScope while_waiting(runtime::mpi_in_use().yield_switch(), true);
  // Freed, because some libraries hang where both are disconnected.
  { const runtime::Communicator freed = std::move(all); }
  worlds::part(std::exchange(inter_, MPI_COMM_NULL));
}

}  // namespace comex::worlds
