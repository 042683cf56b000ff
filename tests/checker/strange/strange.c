/* Calls with a group that does not exist, under the checker: only the runtime tells of them, by their own
 * names. */
#include <comex/comex.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  long word = 0;
  int failures = 0;
  comex_request_t handle = 0;
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return 1;
  comex_set_errors(COMEX_ERRORS_RETURN);
  failures += comex_put(&word, &word, sizeof word, 0, 77) == COMEX_FAILURE;
  failures += comex_nbget(&word, &word, sizeof word, 0, 77, &handle) == COMEX_FAILURE;
  failures += comex_fence_all(77) == COMEX_FAILURE;
  failures += comex_barrier(77) == COMEX_FAILURE;
  failures += comex_group_free(77) == COMEX_FAILURE;
  comex_set_errors(COMEX_ERRORS_ABORT);
  comex_finalize();
  MPI_Finalize();
  if (failures != 5) printf("%d of 5 calls failed\n", failures);
  return failures == 5 ? 0 : 1;
}
