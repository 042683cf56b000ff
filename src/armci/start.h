// Starts and ends the runtime and the façade on it; for every form of init.
#pragma once

#include "flavour.h"

namespace comex::armci {

// comm null: over all ranks. COMEX_SUCCESS on a worker; COMEX_FAILURE on a progress rank when all is over.
int start(MPI_Comm comm, int* argc, char*** argv);
int finish();
void start_mpi(int* argc, char*** argv, int thread_level);  // if nobody has; with that level at least

}  // namespace comex::armci
