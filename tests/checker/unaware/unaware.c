/* A right program that means the workers by MPI_COMM_WORLD, as libcomex_world lets it: its messages and
 * collectives of MPI order its accesses. */
#include <comex/comex.h>
#include <mpi.h>

enum { many = 16 };

static void expect(int holds) {
  if (!holds) comex_error("what was put is not there", 1);
}

static void look(const long* own, long value) {
  comex_access_begin(own, many * sizeof(long), COMEX_ACCESS_READ);
  expect(own[0] == value && own[many - 1] == value);
  comex_access_end(own);
}

int main(int argc, char** argv) {
  int me = 0, workers = 0, token = 0;
  MPI_Init(&argc, &argv);
  comex_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &workers);
  const int next = (me + 1) % workers, previous = (me + workers - 1) % workers, last = workers - 1;
  if (argc > 1) { /* mixed: one of them makes a collective of MPI, which waits for nobody */
    if (me == 0) MPI_Allreduce(&me, &token, 0, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (me != 0) comex_barrier(COMEX_GROUP_WORLD);
  }
  void* parts[64];
  expect(workers <= 64 && comex_malloc(parts, 2 * many * sizeof(long), COMEX_GROUP_WORLD) == COMEX_SUCCESS);
  long values[many];
  for (int i = 0; i < many; ++i) values[i] = me;
  comex_put(values, parts[next], sizeof values, next, COMEX_GROUP_WORLD);
  comex_fence_proc(next, COMEX_GROUP_WORLD);
  MPI_Sendrecv_replace(&token, 1, MPI_INT, next, 0, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  look(parts[me], previous);
  if (me == last) comex_put(values, (long*)parts[0] + many, sizeof values, 0, COMEX_GROUP_WORLD);
  if (me == last) comex_fence_proc(0, COMEX_GROUP_WORLD);
  MPI_Bcast(&token, 1, MPI_INT, last, MPI_COMM_WORLD);
  if (me == 0) look((long*)parts[0] + many, last);
  comex_finalize();
  MPI_Finalize();
  return 0;
}
