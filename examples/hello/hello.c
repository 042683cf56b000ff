/*
 * The smallest program: every worker writes its number into its neighbour's memory.
 *
 *   comexrun -n 3 hello       (3 workers, and a progress rank)
 */
#include <comex/comex.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int me, workers;
  MPI_Init(&argc, &argv);
  comex_init(); /* progress ranks stay in here and serve the others */
  comex_group_rank(COMEX_GROUP_WORLD, &me);
  comex_group_size(COMEX_GROUP_WORLD, &workers);

  /* One int on every worker; afterwards everybody knows everybody's address. */
  void** address = malloc((size_t)workers * sizeof(void*));
  if (address == NULL) comex_error("hello: out of memory", 1);
  comex_malloc(address, sizeof(int), COMEX_GROUP_WORLD);
  int* mine = address[me];
  *mine = -1;
  comex_barrier(COMEX_GROUP_WORLD);

  int right = (me + 1) % workers;
  int left = (me + workers - 1) % workers;
  comex_put(&me, address[right], (int)sizeof me, right, COMEX_GROUP_WORLD);
  comex_fence_proc(right, COMEX_GROUP_WORLD); /* now it is there, for everybody */
  comex_barrier(COMEX_GROUP_WORLD);           /* and now everybody knows that */

  int ok = *mine == left;
  printf("worker %d of %d: my left neighbour wrote %d: %s\n", me, workers, *mine, ok ? "right" : "WRONG");

  comex_free(mine, COMEX_GROUP_WORLD);
  free(address);
  comex_finalize();
  MPI_Finalize();
  return ok ? 0 : 1;
}
