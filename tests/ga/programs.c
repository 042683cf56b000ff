/* programs [NAME]: the programs in C, one after the other in one job, or that one; each gives its own
 * verdict. */
#include "ga_test.h"

#define PROGRAMS(DO) \
  DO(put_get_acc)    \
  DO(ghosts)         \
  DO(task_queue)     \
  DO(mutexes)        \
  DO(groups)         \
  DO(mirrored)       \
  DO(nonblocking)    \
  DO(distribution)   \
  DO(dimensions) DO(strided_patches) DO(scatter_gather) DO(collectives) DO(blas) DO(own_memory) DO(properties)

#define DECLARE(name) int program_##name(void);
PROGRAMS(DECLARE)

#define ENTRY(name) {#name, program_##name},
static const struct {
  const char* name;
  int (*run)(void);
} programs[] = {PROGRAMS(ENTRY)};

int main(int argc, char** argv) {
  int failed = 0;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (!MA_init(C_DBL, 1 << 20, 1 << 20)) GA_Error("MA_init failed", 1);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; ++i) {
    if (argc < 2 || strcmp(argv[1], programs[i].name) == 0) failed |= programs[i].run();
  }
  GA_Terminate();
  MPI_Finalize();
  return failed;
}
