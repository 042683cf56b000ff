/* Read-modify-write and mutexes. */
#include "check.h"

void test_atomics(void) {
  enum { rounds = 50 };
  void** at = malloc((size_t)nproc * sizeof *at);
  int old = 0, desired = 0;
  long old_long = 0, sum = 0;
  ARMCI_Malloc(at, 64);
  memset(at[me], 0, 64);
  ARMCI_Barrier();
  int* word = at[nproc - 1];
  long* long_word = (long*)at[nproc - 1] + 1;
  for (int i = 0; i < rounds; ++i) {
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, word, 1, nproc - 1) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old_long, long_word, 3, nproc - 1) == 0);
    sum += old_long;
  }
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueInt(word, nproc - 1) == rounds * nproc);
  CHECK(ARMCI_GetValueLong(long_word, nproc - 1) == 3L * rounds * nproc);
  armci_msg_lgop(&sum, 1, "+");
  long n = (long)rounds * nproc;
  CHECK(sum == 3 * n * (n - 1) / 2);
  ARMCI_Barrier();
  int* own = (int*)at[neighbour(1)] + 8;
  long* own_long = (long*)at[neighbour(1)] + 5;
  desired = me + 1;
  CHECK(ARMCI_Rmw(ARMCI_SWAP, &desired, own, 0, neighbour(1)) == 0);
  CHECK(desired == 0);
  old_long = me + 2;
  CHECK(ARMCI_Rmw(ARMCI_SWAP_LONG, &old_long, own_long, 0, neighbour(1)) == 0);
  CHECK(old_long == 0);
  ARMCI_Barrier();
  CHECK(((int*)at[me])[8] == neighbour(nproc - 1) + 1 && ((long*)at[me])[5] == neighbour(nproc - 1) + 2);

  /* Counters guarded by mutexes of the first and of the last rank */
  CHECK(ARMCI_Create_mutexes(2) == 0);
  for (int i = 0; i < rounds; ++i) {
    int owner = i % 2 == 0 ? 0 : nproc - 1;
    long* counter = (long*)at[owner] + 6 + (nproc > 1 ? 0 : i % 2);
    ARMCI_Lock(1, owner);
    long seen = ARMCI_GetValueLong(counter, owner);
    ARMCI_PutValueLong(seen + 1, counter, owner);
    ARMCI_Fence(owner);
    ARMCI_Unlock(1, owner);
  }
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueLong((long*)at[0] + 6, 0) == (long)nproc * rounds / 2);
  CHECK(ARMCI_Destroy_mutexes() == 0);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(at);
}
