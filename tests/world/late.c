/* Lets comex_init start MPI: then too MPI_COMM_WORLD is the workers'. */
#include <comex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int rank = -1, size = -1, sum = -1, length = 0;
  if (comex_init_args(&argc, &argv) != COMEX_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  if (argc < 2 || size != atoi(argv[1]) || sum != size * (size - 1) / 2 ||
      strcmp(name, "MPI_COMM_WORLD") != 0) {
    fprintf(stderr, "late.c: rank %d of %d, sum %d, name '%s'\n", rank, size, sum, name);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  if (rank == 0) printf("%d workers: right\n", size);
  MPI_Finalize();
  return 0;
}
