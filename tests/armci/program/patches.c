/* Strided and vector operations, blocking and not, and the local packing. */
#include "check.h"

enum { planes = 6, rows = 10, row = 12 };
typedef double Block[planes][rows][row];

/* The patch [1..4] x [2..7] x [3..10] of a block. */
static int strides[2] = {row * (int)sizeof(double), rows* row*(int)sizeof(double)};
static int counts[3] = {8 * (int)sizeof(double), 6, 4};
static int inside(int p, int r, int c) {
  return p >= 1 && p <= 4 && r >= 2 && r <= 7 && c >= 3 && c <= 10;
}
static double value(int p, int r, int c) {
  return p * 10000 + r * 100 + c + 1;
}

static void check_block(Block* block, double factor) {
  for (int p = 0; p < planes; ++p)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < row; ++c)
        CHECK((*block)[p][r][c] == (inside(p, r, c) ? factor * value(p, r, c) : 0));
}

void test_strided(void) {
  void** at = malloc((size_t)nproc * sizeof *at);
  Block* src = malloc(sizeof(Block));
  Block* back = calloc(1, sizeof(Block));
  char* packed = malloc(sizeof(Block));
  double scale = 3;
  int to = neighbour(1);
  armci_hdl_t handle;
  for (int p = 0; p < planes; ++p)
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < row; ++c) (*src)[p][r][c] = value(p, r, c);
  ARMCI_Malloc(at, sizeof(Block));
  memset(at[me], 0, sizeof(Block));
  ARMCI_Barrier();
  double* near_corner = &(*src)[1][2][3];
  double* far_corner = &(*(Block*)at[to])[1][2][3];
  double* back_corner = &(*back)[1][2][3];
  CHECK(ARMCI_PutS(near_corner, strides, far_corner, strides, counts, 2, to) == 0);
  CHECK(ARMCI_AccS(ARMCI_ACC_DBL, &scale, near_corner, strides, far_corner, strides, counts, 2, to) == 0);
  ARMCI_INIT_HANDLE(&handle);
  CHECK(ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, near_corner, strides, far_corner, strides, counts, 2, to,
                     &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_GetS(far_corner, strides, back_corner, strides, counts, 2, to) == 0);
  check_block(back, 7);
  ARMCI_AllFence();
  ARMCI_Barrier();
  check_block((Block*)at[me], 7);
  ARMCI_Barrier();
  CHECK(ARMCI_NbPutS(near_corner, strides, far_corner, strides, counts, 2, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_NbGetS(far_corner, strides, back_corner, strides, counts, 2, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  check_block(back, 1);
  /* write_strided packs, read_strided unpacks. */
  armci_write_strided(near_corner, 2, strides, counts, packed);
  CHECK(((double*)packed)[0] == value(1, 2, 3) && ((double*)packed)[8] == value(1, 3, 3));
  CHECK(((double*)packed)[4 * 6 * 8 - 1] == value(4, 7, 10));
  memset(back, 0, sizeof(Block));
  armci_read_strided(back_corner, 2, strides, counts, packed);
  check_block(back, 1);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(src);
  free(back);
  free(packed);
  free(at);
}

void test_vector(void) {
  enum { pairs = 30 };
  void** at = malloc((size_t)nproc * sizeof *at);
  int src[2 * pairs], back[2 * pairs];
  void *near_ptrs[2 * pairs], *far_ptrs[2 * pairs], *back_ptrs[2 * pairs];
  armci_giov_t put[2], get[2];
  int to = neighbour(1), scale = 10;
  armci_hdl_t handle;
  ARMCI_Malloc(at, 4 * pairs * sizeof(int));
  memset(at[me], 0, 4 * pairs * sizeof(int));
  ARMCI_Barrier();
  for (int i = 0; i < 2 * pairs; ++i) {
    src[i] = me * 1000 + i;
    near_ptrs[i] = &src[i];
    far_ptrs[i] = (int*)at[to] + 2 * (2 * pairs - 1 - i); /* backwards, every other word */
    back_ptrs[i] = &back[i];
  }
  for (int half = 0; half < 2; ++half) {
    put[half].src_ptr_array = near_ptrs + half * pairs;
    put[half].dst_ptr_array = far_ptrs + half * pairs;
    get[half].src_ptr_array = far_ptrs + half * pairs;
    get[half].dst_ptr_array = back_ptrs + half * pairs;
    put[half].ptr_array_len = get[half].ptr_array_len = pairs;
    put[half].bytes = get[half].bytes = (int)sizeof(int);
  }
  CHECK(ARMCI_PutV(put, 2, to) == 0);
  CHECK(ARMCI_AccV(ARMCI_ACC_INT, &scale, put, 2, to) == 0);
  CHECK(ARMCI_GetV(get, 2, to) == 0);
  for (int i = 0; i < 2 * pairs; ++i) CHECK(back[i] == 11 * src[i]);
  ARMCI_INIT_HANDLE(&handle);
  CHECK(ARMCI_NbAccV(ARMCI_ACC_INT, &scale, put, 2, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  CHECK(ARMCI_NbGetV(get, 2, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  for (int i = 0; i < 2 * pairs; ++i) CHECK(back[i] == 21 * src[i]);
  CHECK(ARMCI_NbPutV(put, 2, to, &handle) == 0);
  CHECK(ARMCI_Wait(&handle) == 0);
  ARMCI_AllFence();
  ARMCI_Barrier();
  int from = neighbour(nproc - 1);
  for (int i = 0; i < 2 * pairs; ++i) CHECK(((int*)at[me])[2 * (2 * pairs - 1 - i)] == from * 1000 + i);
  ARMCI_Barrier();
  ARMCI_Free(at[me]);
  free(at);
}
