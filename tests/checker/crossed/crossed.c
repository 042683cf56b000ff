/* Two workers meet in two groups, each in another one first: a hang, which the checker has to tell of and to
 * end. */
#include <comex/comex.h>
#include <mpi.h>

int main(int argc, char** argv) {
  int all[] = {0, 1}, me = 0;
  comex_group_t groups[2];
  MPI_Init(&argc, &argv);
  comex_init();
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  for (int i = 0; i < 2; ++i) comex_group_create(2, all, COMEX_GROUP_WORLD, &groups[i]);
  comex_barrier(groups[me]);
  comex_barrier(groups[1 - me]);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
