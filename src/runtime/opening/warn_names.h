// Unknown COMEX_ names in the environments of a job: told once, not once a rank.
//
// Collective over all ranks, at set-up. MPI rank 0 speaks for all whose warnings are the same as its own;
// other environments speak by their lowest rank, with what rank 0 has not said.
#pragma once

#include "runtime/report.h"
#include "transport/collective.h"

namespace comex::runtime {

void warn_of_unknown_names(transport::Collective& all, const Reporter& reporter);

}  // namespace comex::runtime
