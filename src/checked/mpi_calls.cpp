// Calls of MPI that are followed in a way of their own; src/checked/generate.py makes the others.
#include "checked/follow_mpi.h"

using namespace comex::checker;

// Not every mpi.h says that its functions are seen from outside.
#pragma GCC visibility push(default)
extern "C" {

// The ARMCI library sends its messages by these names, which a profiler does not see.
int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  if (Checker* const check = following_armci(__builtin_return_address(0))) check->sends(comm, {to_one, dest});
  return next<&PMPI_Isend>(__func__)(buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const int code = next<&PMPI_Test>(__func__)(request, flag, status);
  if (*flag == 0) return code;
  if (Checker* const check = following_armci(__builtin_return_address(0))) check->received();
  return code;
}

// The runtime ends with MPI where the program has not ended it.
int MPI_Finalize() {
  if (following(__builtin_return_address(0)) != nullptr) close(COMEX_CALL);
  return next<&MPI_Finalize>(__func__)();
}

}  // extern "C"
#pragma GCC visibility pop
