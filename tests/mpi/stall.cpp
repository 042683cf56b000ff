// Waits that last: worker 1 waits for a mutex that worker 0 holds, then worker 0 in a barrier for worker 1.
//
// Usage: stall [SECONDS]   how long either keeps the other waiting. stall_test looks at what is printed.
#include <comex/comex.h>
#include <unistd.h>

#include <cstdlib>

int main(int argc, char** argv) {
  const unsigned seconds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 3;
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return EXIT_FAILURE;
  int me = 0;
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_create_mutexes(1);
  if (me == 0) comex_lock(0, 0);
  comex_barrier(COMEX_GROUP_WORLD);
  if (me == 1) comex_lock(0, 0);
  if (me == 0) sleep(seconds);
  if (me <= 1) comex_unlock(0, 0);
  if (me == 1) sleep(seconds);
  comex_barrier(COMEX_GROUP_WORLD);
  comex_finalize();
  MPI_Finalize();
  return EXIT_SUCCESS;
}
