// A communicator of some ranks of another one, made by those ranks alone.
//
// MPI-1 cannot leave the rest of a communicator out: neighbouring blocks join in pairs, the lower ones first,
// 1 with 1, 2 with 2, 4 with 4 and so on. Collective over the ranks named; `of` only carries messages of this
// tag. Called by group creation and by meetings.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "api/communicator.h"

namespace comex::api {

// ranks[me] is the caller's; the new ranks are in their order. Lpids of the own world are ranks of its
// workers.
inline Communicator join_pairwise(MPI_Comm of, std::span<const int> ranks, std::size_t me, int tag) {
  Communicator joined = Communicator::duplicate(MPI_COMM_SELF);
  for (std::size_t width = 1; width < ranks.size(); width *= 2) {
    const std::size_t mine = me / width * width;
    const std::size_t other = mine ^ width;
    if (other >= ranks.size()) continue;
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    PMPI_Intercomm_create(joined.get(), 0, of, ranks[other], tag, &both);
    PMPI_Intercomm_merge(both, mine > other ? 1 : 0, &merged);
    PMPI_Comm_free(&both);
    joined = Communicator(merged);
  }
  return joined;
}

}  // namespace comex::api
