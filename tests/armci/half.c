/* Two halves of the job, each with ARMCI of its own, one after the other twice; then both as one. */
#include "half.h"

#include <stdio.h>
#include <stdlib.h>

static int wrong;

static void work(int expected) {
  int me = armci_msg_me(), nproc = armci_msg_nproc(), one = 1;
  char plus[] = "+";
  void** at = malloc((size_t)nproc * sizeof *at);
  wrong += nproc != expected;
  ARMCI_Malloc(at, 8);
  ARMCI_PutValueLong(me + 5, at[(me + 1) % nproc], (me + 1) % nproc);
  ARMCI_Barrier();
  wrong += *(long*)at[me] != (me + nproc - 1) % nproc + 5;
  armci_msg_igop(&one, 1, plus);
  wrong += one != nproc;
  ARMCI_Free(at[me]);
  free(at);
}

int main(int argc, char** argv) {
  int rank, size, thread;
  MPI_Comm half;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : 1, rank, &half);
  for (int round = 0; round < 2; ++round) {
    int ranks;
    MPI_Comm_size(half, &ranks);
    if (init_over(half)) {
      init_over(half); /* the second one starts nothing */
      work(ranks - 1);
      ARMCI_Finalize();
      ARMCI_Finalize();
    }
    MPI_Barrier(MPI_COMM_WORLD); /* progress ranks came back */
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  init_over_all();
  work(size - 1);
  if (armci_msg_me() == 0) printf("%d wrong\n", wrong);
  ARMCI_Finalize();
  MPI_Finalize();
  return wrong != 0;
}
