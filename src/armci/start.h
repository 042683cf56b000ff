// Starts and ends the runtime and the façade, for every form of init.
#pragma once

#include "flavour.h"

namespace comex::armci {

// A null comm: over all ranks. COMEX_SUCCESS on a worker, COMEX_FAILURE on a progress rank after its service.
int start(MPI_Comm comm, int* argc, char*** argv);
// The same over a communicator that the program has given; a null one is refused.
int start_over(MPI_Comm comm);
int finish();
void start_mpi(int* argc, char*** argv, int thread_level);  // if it is not running; at least that level

}  // namespace comex::armci
