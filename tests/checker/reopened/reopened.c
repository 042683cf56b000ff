/* Starts the runtime again and again, and leaves groups to its end: the checker has to give back what it has
 * of MPI's, which has room for some 2,000 communicators. */
#include <comex/comex.h>
#include <mpi.h>

enum { lives = 3, many = 600 };

int main(int argc, char** argv) {
  int both[] = {0, 1};
  MPI_Init(&argc, &argv);
  for (int life = 0; life < lives; ++life) {
    if (comex_init() != COMEX_SUCCESS) return 1;
    for (int i = 0; i < many; ++i) {
      comex_group_t group = COMEX_GROUP_NULL;
      if (comex_group_create(2, both, COMEX_GROUP_WORLD, &group) != COMEX_SUCCESS) return 1;
    }
    if (comex_finalize() != COMEX_SUCCESS) return 1;
  }
  MPI_Finalize();
  return 0;
}
