// The same for MPI_Abort, in a file of its own: only those who call it are linked with MPI.
#include <mpi.h>

#include "keep_counts.h"

int __real_PMPI_Abort(MPI_Comm comm, int code);
int __wrap_PMPI_Abort(MPI_Comm comm, int code);

int __wrap_PMPI_Abort(MPI_Comm comm, int code) {
  comex_keep_counts();
  return __real_PMPI_Abort(comm, code);
}
