/* Something to profile: relaxes a rod of temperatures, each worker a piece of it, whose ends are put into the
 * neighbours' pieces. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

enum { cells = 1000, sweeps = 200 };

int main(int argc, char** argv) {
  ARMCI_Init_args(&argc, &argv);
  int me = armci_msg_me(), nproc = armci_msg_nproc();
  void** pieces = malloc((size_t)nproc * sizeof *pieces);
  double* next = malloc((cells + 2) * sizeof *next);
  ARMCI_Malloc(pieces, (cells + 2) * (armci_size_t)sizeof(double));
  double* now = pieces[me];
  for (int i = 0; i < cells + 2; ++i) now[i] = 0;
  if (me == 0) now[0] = 1; /* heated at this end */
  ARMCI_Barrier();
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int i = 1; i <= cells; ++i) next[i] = (now[i - 1] + now[i + 1]) / 2;
    ARMCI_Barrier();
    for (int i = 1; i <= cells; ++i) now[i] = next[i];
    if (me > 0) ARMCI_Put(&next[1], (double*)pieces[me - 1] + cells + 1, sizeof(double), me - 1);
    if (me < nproc - 1) ARMCI_Put(&next[cells], pieces[me + 1], sizeof(double), me + 1);
    ARMCI_Barrier();
  }
  double heat = 0;
  char plus[] = "+";
  for (int i = 1; i <= cells; ++i) heat += now[i];
  armci_msg_dgop(&heat, 1, plus);
  if (me == 0) printf("heat in the rod: %.6f\n", heat);
  ARMCI_Free(pieces[me]);
  free(next);
  free(pieces);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
