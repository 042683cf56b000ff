/* Aggregate handles: everything arrives, in order, whatever is mixed under one handle. */
#include <unistd.h>

#include "check.h"

enum { words = 3000 }; /* more than a handle keeps outstanding */

static void scattered(void** at) {
  armci_hdl_t handle;
  long* values = malloc(words * sizeof(long));
  long* back = calloc((size_t)words, sizeof(long));
  for (int i = 0; i < words; ++i) values[i] = me * 100000L + i;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int i = 0; i < words; ++i) {
    int to = i % nproc;
    CHECK(ARMCI_NbPut(&values[i], (long*)at[to] + (size_t)me * words + i, sizeof(long), to, &handle) == 0);
  }
  CHECK(ARMCI_Wait(&handle) == 0);
  for (int i = 0; i < words; ++i) {
    int to = i % nproc;
    CHECK(ARMCI_NbGet((long*)at[to] + (size_t)me * words + i, &back[i], sizeof(long), to, &handle) == 0);
  }
  while (ARMCI_Test(&handle) != 0) continue;
  for (int i = 0; i < words; ++i) CHECK(back[i] == values[i]);
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  /* Now it is a handle like others. */
  CHECK(ARMCI_NbGet(at[me], back, sizeof(long), me, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  free(values);
  free(back);
}

/* Put, accumulate and value upon each other, with nothing but their order to keep them apart. */
static void ordered(void** at) {
  armci_hdl_t handle, other;
  int to = neighbour(1);
  long ten = 10, three = 3, one = 1, seen = 0;
  long* far = (long*)at[to] + (size_t)me * words;
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  ARMCI_INIT_HANDLE(&other);
  CHECK(ARMCI_NbPut(&ten, far, sizeof(long), to, &handle) == 0);
  CHECK(ARMCI_NbPut(&three, far, sizeof(long), to, &handle) == 0);
  CHECK(ARMCI_NbAcc(ARMCI_ACC_LNG, &one, &ten, far, sizeof(long), to, &handle) == 0);
  CHECK(ARMCI_NbPutValueLong(7, far + 1, to, &handle) == 0);
  CHECK(ARMCI_NbPutValueLong(8, far + 2, to, &handle) == 0);
  /* A blocking get comes after all of them. */
  CHECK(ARMCI_Get(far, &seen, sizeof(long), to) == 0);
  CHECK(seen == 13);
  CHECK(ARMCI_GetValueLong(far + 1, to) == 7 && ARMCI_GetValueLong(far + 2, to) == 8);
  CHECK(ARMCI_NbPutValueLong(9, far + 1, to, &handle) == 0);
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle); /* what it holds is still waited for */
  CHECK(ARMCI_Wait(&handle) == 0);
  ARMCI_Fence(to);
  CHECK(ARMCI_GetValueLong(far + 1, to) == 9);
  /* A fence takes along what a handle holds. */
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  CHECK(ARMCI_NbPutValueLong(11, far + 3, to, &handle) == 0);
  ARMCI_AllFence();
  armci_msg_barrier();
  int from = neighbour(nproc - 1);
  CHECK(((long*)at[me])[(size_t)from * words + 3] == 11);
  armci_msg_barrier();
  CHECK(ARMCI_NbPutValueLong(12, far + 3, to, &handle) == 0);
  CHECK(ARMCI_WaitAll() == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

/* Strided and vector pieces, and one too large to collect. */
static void shapes(void** at) {
  armci_hdl_t handle;
  int to = neighbour(1);
  long src[20], back[20], scale = 2;
  void *near_ptrs[5], *far_ptrs[5];
  int stride[1] = {2 * (int)sizeof(long)}, count[2] = {(int)sizeof(long), 10};
  long* far = (long*)at[to] + (size_t)me * words;
  long* large = calloc((size_t)words, sizeof(long));
  armci_giov_t vector;
  for (int i = 0; i < 20; ++i) src[i] = i + 1;
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  CHECK(ARMCI_NbPut(large, far, words * (int)sizeof(long), to, &handle) == 0);
  CHECK(ARMCI_NbPutS(src, stride, far, stride, count, 1, to, &handle) == 0);
  CHECK(ARMCI_NbAccS(ARMCI_ACC_LNG, &scale, src, stride, far, stride, count, 1, to, &handle) == 0);
  for (int i = 0; i < 5; ++i) {
    near_ptrs[i] = &src[2 * i + 1];
    far_ptrs[i] = far + 2 * i + 1;
  }
  vector.src_ptr_array = near_ptrs;
  vector.dst_ptr_array = far_ptrs;
  vector.ptr_array_len = 5;
  vector.bytes = (int)sizeof(long);
  CHECK(ARMCI_NbPutV(&vector, 1, to, &handle) == 0);
  CHECK(ARMCI_NbAccV(ARMCI_ACC_LNG, &scale, &vector, 1, to, &handle) == 0);
  vector.src_ptr_array = far_ptrs;
  vector.dst_ptr_array = near_ptrs;
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_NbGetV(&vector, 1, to, &handle) == 0);
  CHECK(ARMCI_NbGetS(far, stride, back, stride, count, 1, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  for (int i = 0; i < 20; i += 2) CHECK(back[i] == 3 * (i + 1));
  for (int i = 1; i < 10; i += 2) CHECK(src[i] == 3 * (i + 1));
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  free(large);
}

static long resident_bytes(void) {
  long pages = 0;
  long resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2);
  if (file != NULL) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

/* Handles that are set and used, and nobody waits for them. */
static void never_waited_for(void** at) {
  const int rounds =
      getenv("COMEX_CHECK") == NULL ? 100000 : 1000; /* the checker keeps what it knows of them */
  long* back = malloc((size_t)rounds * sizeof(long));
  for (int round = 0; round < rounds; ++round) back[round] = -1;
  const long before = resident_bytes();
  for (int round = 0; round < rounds; ++round) {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    ARMCI_NbGet(at[me], &back[round], sizeof(long), me, &handle);
  }
  ARMCI_WaitAll();
  CHECK(resident_bytes() - before < 4L << 20);
  CHECK(back[rounds - 1] == *(long*)at[me]);
  free(back);
}

/* Handles that are set, used, waited for and forgotten, again and again. */
static void forgotten(void** at) {
  long* own = at[me];
  for (int round = 0; round < 210000; ++round) {
    armci_hdl_t handle;
    long back[2] = {-1, -1};
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    ARMCI_NbGet(own, &back[0], sizeof *back, me, &handle);
    ARMCI_NbGet(own + 1, &back[1], sizeof *back, me, &handle);
    switch (round % 3) {
      case 0:
        ARMCI_Wait(&handle);
        break;
      case 1:
        ARMCI_WaitAll();
        break;
      default: /* it still collects after a wait for all, and is waited for though it does no longer */
        ARMCI_Wait(NULL);
        back[0] = back[1] = -1;
        ARMCI_NbGet(own, &back[0], sizeof *back, me, &handle);
        ARMCI_NbGet(own + 1, &back[1], sizeof *back, me, &handle);
        ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
        ARMCI_Wait(&handle);
    }
    if (back[0] != own[0] || back[1] != own[1]) {
      CHECK(!"what an aggregate of many has got");
      return;
    }
  }
}

void test_aggregate(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  armci_size_t bytes = (armci_size_t)nproc * words * (armci_size_t)sizeof(long);
  ARMCI_Malloc(at, bytes);
  memset(at[me], 0, (size_t)bytes);
  ARMCI_Barrier();
  scattered(at);
  ARMCI_Barrier();
  ordered(at);
  ARMCI_Barrier();
  shapes(at);
  ARMCI_Barrier();
  forgotten(at);
  never_waited_for(at);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(at);
}
