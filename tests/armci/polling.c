/* Each worker polls words of its own with calls in between until the other has written there; in turn. */
#include <armci.h>
#include <message.h>
#include <stdio.h>

enum { rounds = 20 };

int main(int argc, char** argv) {
  void* at[2];
  MPI_Init(&argc, &argv); /* no threads */
  ARMCI_Init();
  int me = armci_msg_me(), other = 1 - me;
  ARMCI_Malloc(at, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) ((int*)at[me])[i] = 0;
  ARMCI_Barrier();
  for (int round = 1; round <= rounds; ++round) {
    int seen = 0, swapped = 0, one = 1, zero = 0;
    if (round % 2 == me) ARMCI_PutValueInt(round, at[other], other);
    while (round % 2 != me && seen != round) ARMCI_Get(at[me], &seen, sizeof seen, me);
    if (round % 2 == me) ARMCI_PutValueInt(round, (int*)at[other] + 1, other);
    while (round % 2 != me && swapped != round) {
      swapped = 0;
      ARMCI_Rmw(ARMCI_SWAP, &swapped, (int*)at[me] + 1, 0, me);
    }
    if (round % 2 == me) ARMCI_Acc(ARMCI_ACC_INT, &one, &round, (int*)at[other] + 2, sizeof round, other);
    for (seen = 0; round % 2 != me && seen == 0; seen = *((volatile int*)at[me] + 2)) {
      ARMCI_Acc(ARMCI_ACC_INT, &zero, &one, (int*)at[me] + 3, sizeof one, me);
    }
    if (round % 2 != me) *((volatile int*)at[me] + 2) = 0;
  }
  ARMCI_Barrier();
  if (me == 0) printf("%d rounds\n", rounds);
  ARMCI_Free(at[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
