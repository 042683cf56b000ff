/* Handles: wait, test, wait again, copies, none at all. */
#include "check.h"

static armci_hdl_t waited, tested;

void test_nonblocking(void) {
  enum { count = 64, doubles = 500 };
  const int bytes = doubles * (int)sizeof(double);
  void** at = malloc((size_t)nproc * sizeof *at);
  double* src = malloc(count * (size_t)bytes);
  double* back = malloc(count * (size_t)bytes);
  armci_hdl_t handles[count], copy;
  double two = 2;
  int to = neighbour(1);
  ARMCI_Malloc(at, count * bytes);
  memset(at[me], 0, (size_t)(count * bytes));
  ARMCI_Barrier();
  char* far = at[to];
  for (int i = 0; i < count * doubles; ++i) src[i] = me + i;
  for (int i = 0; i < count; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    CHECK(ARMCI_NbPut(src + i * doubles, far + i * bytes, bytes, to, &handles[i]) == 0);
  }
  copy = handles[3];
  for (int i = 0; i < count / 2; ++i) CHECK(ARMCI_Wait(&handles[i]) == 0);
  for (int i = count / 2; i < count; ++i) {
    while (ARMCI_Test(&handles[i]) != 0) continue;
  }
  CHECK(ARMCI_Wait(&handles[3]) == 0 && ARMCI_Wait(&copy) == 0 && ARMCI_Test(&copy) == 0);
  for (int i = 0; i < count; ++i) {
    ARMCI_INIT_HANDLE(&handles[i]);
    CHECK(ARMCI_NbAcc(ARMCI_ACC_DBL, &two, src + i * doubles, far + i * bytes, bytes, to, &handles[i]) == 0);
  }
  CHECK(ARMCI_WaitAll() == 0);
  for (int i = 0; i < count; ++i) CHECK(ARMCI_Wait(&handles[i]) == 0); /* kept across WaitAll */
  for (int i = 0; i < count; ++i) {
    CHECK(ARMCI_NbGet(far + i * bytes, back + i * doubles, bytes, to, &handles[i]) == 0);
  }
  for (int i = count - 1; i >= 0; --i) CHECK(ARMCI_Wait(&handles[i]) == 0);
  for (int i = 0; i < count * doubles; i += 77) CHECK(back[i] == 3.0 * (me + i));
  CHECK(ARMCI_NbGet(far, back, bytes, to, &waited) == 0 && ARMCI_Wait(&waited) == 0);
  CHECK(ARMCI_NbGet(far, back, bytes, to, &tested) == 0);
  while (ARMCI_Test(&tested) != 0) continue;
  /* Without a handle */
  CHECK(ARMCI_NbPut(src, far, bytes, to, NULL) == 0);
  CHECK(ARMCI_WaitProc(to) == 0);
  memset(back, 0, (size_t)bytes);
  CHECK(ARMCI_NbGet(far, back, bytes, to, NULL) == 0);
  CHECK(ARMCI_WaitAll() == 0);
  CHECK(back[0] == me && back[doubles - 1] == me + doubles - 1);
  /* A handle that nothing was issued with */
  ARMCI_INIT_HANDLE(&copy);
  CHECK(ARMCI_Wait(&copy) == 0 && ARMCI_Test(&copy) == 0);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(src);
  free(back);
  free(at);
}

/* Handles that were done before ARMCI ended are so when it has begun anew. */
void test_handles_of_before(void) {
  CHECK(ARMCI_Wait(&waited) == 0 && ARMCI_Test(&waited) == 0);
  CHECK(ARMCI_Wait(&tested) == 0);
}
