/* Four threads a worker, on targets of their own and on shared ones, with handles of every kind. */
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, rounds = 200, words = 32, row = 2, rows = 3, pitch = 4 };

static int me, nproc;
static void** at;

/* Word w of thread t in the block of worker p; the last words are everybody's. */
static long* own(int p, int t, int w) {
  return (long*)at[p] + t * words + w;
}
static long* shared(int p, int w) {
  return (long*)at[p] + threads * words + w;
}

/* Three rows of the thread's block of worker 0, strided, and three words of it, by addresses: written without
 * a handle and waited for along with everybody's, read again with handles. */
static long patches_and_vectors(int t, long i) {
  long near[rows * row], back[rows * row], scale = 1, bad = 0;
  void *near_at[rows], *far_at[rows], *back_at[rows];
  int near_stride[1] = {row * (int)sizeof(long)}, far_stride[1] = {pitch * (int)sizeof(long)};
  int count[2] = {row * (int)sizeof(long), rows};
  armci_giov_t pairs = {near_at, far_at, rows, sizeof(long)};
  armci_hdl_t strided, vector;
  for (int k = 0; k < rows * row; ++k) near[k] = i * (k + 1);
  for (int k = 0; k < rows; ++k) {
    near_at[k] = &near[2 * k];
    back_at[k] = &back[2 * k];
    far_at[k] = own(0, t, 16 + 5 * k);
  }
  ARMCI_NbPutS(near, near_stride, own(0, t, 4), far_stride, count, 1, 0, NULL);
  ARMCI_NbPutV(&pairs, 1, 0, NULL);
  ARMCI_WaitAll();
  ARMCI_AccS(ARMCI_ACC_LNG, &scale, near, near_stride, own(0, t, 4), far_stride, count, 1, 0);
  ARMCI_AccV(ARMCI_ACC_LNG, &scale, &pairs, 1, 0);

  ARMCI_INIT_HANDLE(&strided);
  ARMCI_INIT_HANDLE(&vector);
  ARMCI_NbGetS(own(0, t, 4), far_stride, back, near_stride, count, 1, 0, &strided);
  ARMCI_Wait(&strided);
  for (int k = 0; k < rows * row; ++k) bad += back[k] != 2 * near[k];
  pairs.src_ptr_array = far_at;
  pairs.dst_ptr_array = back_at;
  ARMCI_NbGetV(&pairs, 1, 0, &vector);
  ARMCI_WaitAll();
  ARMCI_Wait(&vector); /* kept across WaitAll */
  for (int k = 0; k < rows; ++k) bad += back[2 * k] != 2 * near[2 * k];
  return bad;
}

static void* work(void* argument) {
  int t = (int)(size_t)argument, to = (me + 1 + t) % nproc;
  long bad = 0, one = 1, got = 0;
  armci_hdl_t plain, aggregate;
  ARMCI_INIT_HANDLE(&plain);
  ARMCI_SET_AGGREGATE_HANDLE(&aggregate);
  for (long i = 1; i <= rounds; ++i) {
    ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, shared(0, 0), sizeof(long), 0);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &got, shared(0, 1), 1, 0);
    ARMCI_NbAcc(ARMCI_ACC_LNG, &one, &one, shared(0, 2), sizeof(long), 0, &aggregate);
    if (i % 50 == t) ARMCI_WaitAll();
  }
  ARMCI_Wait(&aggregate);
  /* One worker's threads alone write their words of the block of worker 0. */
  if (me == nproc - 1) {
    for (long i = 1; i <= rounds; ++i) {
      ARMCI_Put(&i, own(0, t, 0), sizeof(long), 0);
      ARMCI_NbPut(&i, own(0, t, 1), sizeof(long), 0, &plain);
      ARMCI_Wait(&plain);
      ARMCI_NbPutValueLong(i, own(0, t, 2), 0, &aggregate);
      ARMCI_Wait(&aggregate);
      for (int w = 0; w < 3; ++w) {
        ARMCI_Get(own(0, t, w), &got, sizeof(long), 0);
        bad += got != i;
      }
      bad += patches_and_vectors(t, i);
    }
  }
  ARMCI_UNSET_AGGREGATE_HANDLE(&aggregate);
  ARMCI_Fence(to);
  return (void*)(size_t)bad;
}

int main(int argc, char** argv) {
  int provided;
  long bad = 0;
  pthread_t thread[threads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  ARMCI_Init();
  me = armci_msg_me();
  nproc = armci_msg_nproc();
  at = malloc((size_t)nproc * sizeof *at);
  ARMCI_Malloc(at, (threads + 1) * words * (armci_size_t)sizeof(long));
  for (int i = 0; i < (threads + 1) * words; ++i) ((long*)at[me])[i] = 0;
  ARMCI_Barrier();
  for (int t = 0; t < threads; ++t) pthread_create(&thread[t], NULL, work, (void*)(size_t)t);
  for (int t = 0; t < threads; ++t) {
    void* result;
    pthread_join(thread[t], &result);
    bad += (long)(size_t)result;
  }
  armci_msg_barrier();
  for (int w = 0; w < 3; ++w) bad += ARMCI_GetValueLong(shared(0, w), 0) != (long)nproc * threads * rounds;
  char plus[] = "+";
  armci_msg_lgop(&bad, 1, plus);
  if (me == 0) printf("%d workers, %ld wrong\n", nproc, bad);
  ARMCI_Free(at[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  free(at);
  return bad != 0;
}
