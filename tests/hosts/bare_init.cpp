// A program that leaves MPI_Init to the runtime, for threads_test.
#include <comex.h>

int main() {
  if (comex_init() != COMEX_SUCCESS) return 1;
  comex_barrier(COMEX_GROUP_WORLD);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
