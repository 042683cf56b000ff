/* Contiguous operations, values, flags. */
#include "check.h"

void test_contiguous(void) {
  enum { bytes = 100000 };
  void** at = malloc((size_t)nproc * sizeof *at);
  char* buf = malloc(bytes);
  int to = neighbour(1), from = neighbour(nproc - 1);
  CHECK(ARMCI_Malloc(at, bytes) == 0);
  memset(at[me], 0, bytes);
  ARMCI_Barrier();
  for (int i = 0; i < bytes; ++i) buf[i] = (char)(me + i);
  CHECK(ARMCI_Put(buf, at[to], bytes, to) == 0);
  CHECK(ARMCI_Put(buf, at[to], 0, to) == 0);
  memset(buf, 0, bytes); /* a put took what it needed */
  ARMCI_Fence(to);
  ARMCI_Barrier();
  for (int i = 0; i < bytes; i += 997) CHECK(((char*)at[me])[i] == (char)(from + i));
  CHECK(ARMCI_Get((char*)at[to] + 5, buf, 64, to) == 0);
  for (int i = 0; i < 64; ++i) CHECK(buf[i] == (char)(me + 5 + i));
  ARMCI_Barrier();
  CHECK(ARMCI_Free(at[me]) == 0);
  free(at);
  free(buf);
}

/* One accumulate of each type; `count` elements, all ranks add into rank 0. */
#define ACCUMULATE(Type, code, width)                                                                      \
  do {                                                                                                     \
    Type values[24], scale[2] = {2, 0};                                                                    \
    int per = (int)sizeof(Type) * (width);                                                                 \
    if (me == 0) memset(at[0], 0, 24 * sizeof(Type));                                                      \
    ARMCI_Barrier();                                                                                       \
    for (int i = 0; i < 24; ++i) values[i] = (Type)((i % (width)) == 0 ? i + 1 : 0);                       \
    CHECK(ARMCI_Acc(code, scale, values, at[0], per*(24 / (width)), 0) == 0);                              \
    CHECK(ARMCI_Acc(code, scale, values, at[0], per - 1, 0) == 0);                                         \
    ARMCI_AllFence();                                                                                      \
    ARMCI_Barrier();                                                                                       \
    CHECK(ARMCI_Get(at[0], values, 24 * (int)sizeof(Type), 0) == 0);                                       \
    for (int i = 0; i < 24; ++i) CHECK(values[i] == (Type)((i % (width)) == 0 ? 2 * nproc * (i + 1) : 0)); \
    ARMCI_Barrier();                                                                                       \
  } while (0)

void test_accumulate(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  ARMCI_Malloc(at, 1024);
  ACCUMULATE(int, ARMCI_ACC_INT, 1);
  ACCUMULATE(long, ARMCI_ACC_LNG, 1);
  ACCUMULATE(float, ARMCI_ACC_FLT, 1);
  ACCUMULATE(double, ARMCI_ACC_DBL, 1);
  ACCUMULATE(float, ARMCI_ACC_CPL, 2);
  ACCUMULATE(double, ARMCI_ACC_DCP, 2);
  ARMCI_Free(at[me]);
  free(at);
}

void test_values(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  armci_hdl_t handles[4];
  int to = neighbour(1);
  ARMCI_Malloc(at, 64);
  memset(at[me], 0, 64);
  ARMCI_Barrier();
  char* far = at[to];
  CHECK(ARMCI_PutValueInt(me + 1, far, to) == 0);
  CHECK(ARMCI_PutValueLong(me + 2L, far + 8, to) == 0);
  CHECK(ARMCI_PutValueFloat((float)me + 0.5f, far + 16, to) == 0);
  CHECK(ARMCI_PutValueDouble(me + 0.25, far + 24, to) == 0);
  for (int i = 0; i < 4; ++i) ARMCI_INIT_HANDLE(&handles[i]);
  CHECK(ARMCI_NbPutValueInt(me + 3, far + 32, to, &handles[0]) == 0);
  CHECK(ARMCI_NbPutValueLong(me + 4L, far + 40, to, &handles[1]) == 0);
  CHECK(ARMCI_NbPutValueFloat((float)me + 1.5f, far + 48, to, &handles[2]) == 0);
  CHECK(ARMCI_NbPutValueDouble(me + 1.25, far + 56, to, &handles[3]) == 0);
  for (int i = 0; i < 4; ++i) CHECK(ARMCI_Wait(&handles[i]) == 0);
  ARMCI_AllFence();
  ARMCI_Barrier();
  CHECK(ARMCI_GetValueInt(far, to) == me + 1 && ARMCI_GetValueInt(far + 32, to) == me + 3);
  CHECK(ARMCI_GetValueLong(far + 8, to) == me + 2 && ARMCI_GetValueLong(far + 40, to) == me + 4);
  CHECK(ARMCI_GetValueFloat(far + 16, to) == (float)me + 0.5f);
  CHECK(ARMCI_GetValueFloat(far + 48, to) == (float)me + 1.5f);
  CHECK(ARMCI_GetValueDouble(far + 24, to) == me + 0.25 && ARMCI_GetValueDouble(far + 56, to) == me + 1.25);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(at);
}

/* Whoever sees the flag sees all the data. */
void test_flags(void) {
  enum { rows = 40, row = 1000 };
  void** at = malloc((size_t)nproc * sizeof *at);
  char* buf = malloc(rows * row);
  int to = neighbour(1), from = neighbour(nproc - 1);
  int count[2] = {row / 2, rows}, stride[1] = {row};
  ARMCI_Malloc(at, rows * row + 8);
  memset(at[me], 0, rows * row + 8);
  ARMCI_Barrier();
  int* far_flag = (int*)((char*)at[to] + rows * row);
  volatile int* flag = (int*)((char*)at[me] + rows * row);
  memset(buf, me + 1, rows * row);
  CHECK(ARMCI_Put_flag(buf, at[to], rows * row, far_flag, me + 10, to) == 0);
  while (*flag != from + 10) ARMCI_Fence(to);
  CHECK(((char*)at[me])[0] == from + 1 && ((char*)at[me])[rows * row - 1] == from + 1);
  ARMCI_Barrier();
  memset(buf, me + 2, rows * row);
  CHECK(ARMCI_PutS_flag(buf, stride, at[to], stride, count, 1, far_flag + 1, me + 20, to) == 0);
  while (flag[1] != from + 20) ARMCI_Fence(to);
  CHECK(((char*)at[me])[(rows - 1) * row + row / 2 - 1] == from + 2);
  CHECK(((char*)at[me])[(rows - 1) * row + row / 2] == from + 1);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(buf);
  free(at);
}
