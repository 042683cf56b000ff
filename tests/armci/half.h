/* Init over a communicator, as each flavour spells it: whether the caller is a worker. Over all, progress
 * ranks stay inside. */
#ifndef TESTS_ARMCI_HALF_H_
#define TESTS_ARMCI_HALF_H_

#include <armci.h>
#include <message.h>

#ifdef ARMCI_MPI
static int init_over(MPI_Comm comm) {
  return ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, comm) == 0;
}
static void init_over_all(void) {
  MPI_Comm all;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, all);
}
#else
static int init_over(MPI_Comm comm) {
  return ARMCI_Init_mpi_comm(comm);
}
static void init_over_all(void) {
  ARMCI_Init();
}
#endif

#endif
