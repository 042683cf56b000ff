/* Calls that the runtime refuses, under the checker: only the runtime tells of them, by their own names, and
 * nothing reads what they name. */
#include <comex/comex.h>
#include <comex/extended.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  long word = 0;
  int failures = 0;
  void* parts[2] = {0};
  comex_request_t handle = 0;
  MPI_Init(&argc, &argv);
  if (comex_init() != COMEX_SUCCESS) return 1;
  comex_malloc(parts, sizeof word, COMEX_GROUP_WORLD);
  comex_set_errors(COMEX_ERRORS_RETURN);
  failures += comex_nbput_x(&word, parts[0], (size_t)1 << 40, 0, COMEX_GROUP_WORLD, &handle) == COMEX_FAILURE;
  failures += comex_put(&word, &word, sizeof word, 0, 77) == COMEX_FAILURE;
  failures += comex_nbget(&word, &word, sizeof word, 0, 77, &handle) == COMEX_FAILURE;
  failures += comex_fence_all(77) == COMEX_FAILURE;
  failures += comex_barrier(77) == COMEX_FAILURE;
  failures += comex_group_free(77) == COMEX_FAILURE;
  comex_set_errors(COMEX_ERRORS_ABORT);
  comex_finalize();
  MPI_Finalize();
  if (failures != 6) printf("%d of 6 calls failed\n", failures);
  return failures == 6 ? 0 : 1;
}
