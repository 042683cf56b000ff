/*
 * mp3.h: how ARMCI's own example programs start, meet and end. The macros speak of the workers:
 * MPI_COMM_WORLD holds progress ranks as well, which never return to the program. MP_INIT starts ARMCI as
 * well, and MP_FINALIZE ends it.
 */
#ifndef COMEX_ARMCI_MPI_MP3_H_
#define COMEX_ARMCI_MPI_MP3_H_

#include <mpi.h>

#include "armci.h"

#define MP_INIT(ARGC, ARGV) (MPI_Init(&(ARGC), &(ARGV)), ARMCI_Init())
#define MP_BARRIER() armci_msg_barrier()
#define MP_FINALIZE() MPI_Finalize()
#define MP_PROCS(X) (*(X) = armci_msg_nproc())
#define MP_MYID(X) (*(X) = armci_msg_me())
#define MP_TIMER() MPI_Wtime()

#define GA_INIT(ARGC, ARGV) GA_Initialize()
#define ARMCI_INIT(ARGC, ARGV) ARMCI_Init()

#endif
