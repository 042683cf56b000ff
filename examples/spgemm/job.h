// The whole job between comex_init and comex_finalize.
#pragma once

#include "options.h"

namespace spgemm {

// Collective over the workers. All return the same status: 0 if the product is right, 1 if not or if a
// file is wrong.
int run_job(const Options& options, int mpi_ranks);

}  // namespace spgemm
