/* A worker dies and the others go on, with COMEX_ON_FAILURE=continue: a call that has no result cannot tell
 * its caller, so it ends the job. */
#include <armci.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int me = 0;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  ARMCI_Barrier();
  if (me == 1) raise(SIGKILL);
  ARMCI_Barrier();
  printf("rank %d has not heard of the death\n", me);
  fflush(stdout);
  return 0;
}
