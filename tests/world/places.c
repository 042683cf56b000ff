/* Names MPI_COMM_WORLD in three places, one of them in a loop, and keeps clear of it in others. */
#include <comex.h>
#include <stdio.h>

__attribute__((noinline)) static void three_times(void) {
  for (int i = 0; i < 3; i++) {
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* place 2 */
  }
}

int main(int argc, char** argv) {
  int rank, own, found, *value;
  MPI_Comm workers, copy;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* place 1 */
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  three_times();
  comex_init();
  comex_group_comm(COMEX_GROUP_WORLD, &workers);
  MPI_Comm_rank(workers, &own);
  MPI_Barrier(workers);
  MPI_Comm_rank(MPI_COMM_SELF, &own);
  MPI_Comm_compare(workers, MPI_COMM_WORLD, &found); /* place 3 */
  MPI_Comm_dup(workers, &copy);
  MPI_Comm_free(&copy);
  printf("rank %d keeps its place\n", rank);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
