/* A barrier of a part of the workers fences operations on the others, too: worker 0 accumulates into memory
 * of worker 2, and after a barrier of both worker 1 finds all of it there. */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { many = 1 << 19, rounds = 100 };

int main(int argc, char** argv) {
  void* at[3];
  int both[2] = {0, 1}, bad = 0;
  const int bytes = many * (int)sizeof(double);
  double* ones = malloc((size_t)bytes);
  double one = 1, last = -1;
  ARMCI_Group pair, world;
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  const int me = armci_msg_me();
  for (int i = 0; i < many; ++i) ones[i] = 1;
  ARMCI_Malloc(at, bytes);
  memset(at[me], 0, (size_t)bytes);
  ARMCI_Barrier();
  ARMCI_Group_get_world(&world);
  if (me < 2) {
    ARMCI_Group_create(2, both, &pair);
    ARMCI_Group_set_default(&pair);
  }
  for (int round = 1; me < 2 && round <= rounds; ++round) {
    if (me == 0) ARMCI_Acc(ARMCI_ACC_DBL, &one, ones, at[2], bytes, 2);
    ARMCI_Barrier();
    if (me == 1) ARMCI_Get((double*)at[2] + many - 1, &last, sizeof last, 2);
    bad += me == 1 && last != round;
    ARMCI_Barrier();
  }
  if (bad != 0) fprintf(stderr, "%d of %d rounds are wrong\n", bad, rounds);
  ARMCI_Group_set_default(&world);
  ARMCI_Barrier();
  if (me < 2) ARMCI_Group_free(&pair);
  ARMCI_Free(at[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  free(ones);
  return bad;
}
