// Warns of unknown COMEX_ names in the environments of a job, once for the job instead of once a rank.
//
// Collective over all ranks, at set-up. MPI rank 0 prints for all ranks with the same warnings. For other
// environments their lowest rank prints what rank 0 has not printed.
#pragma once

#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

void warn_of_unknown_names(transport::Collective& all, const Reporter& reporter);

}  // namespace comex::runtime
