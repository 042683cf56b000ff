/* As many ARMCI programs do: rank and size come from MPI_COMM_WORLD, before ARMCI_Init. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = -1, size = -1, right;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  void** memory = malloc((size_t)size * sizeof *memory);
  int value = 1000 + rank, got = -1;
  ARMCI_Init();
  ARMCI_Malloc(memory, 64);
  *(int*)memory[rank] = value;
  MPI_Barrier(MPI_COMM_WORLD);
  ARMCI_Get(memory[(rank + 1) % size], &got, sizeof got, (rank + 1) % size);
  MPI_Barrier(MPI_COMM_WORLD);
  ARMCI_Free(memory[rank]);
  ARMCI_Finalize();
  right = argc > 1 && size == atoi(argv[1]) && got == 1000 + (rank + 1) % size;
  MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (!right) {
    fprintf(stderr, "armci.c: rank %d of %d got %d\n", rank, size, got);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (rank == 0) printf("%d workers: right\n", size);
  free(memory);
  MPI_Finalize();
  return 0;
}
