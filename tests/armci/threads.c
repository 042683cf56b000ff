/* Four threads a worker, on targets of their own and on shared ones, with handles of every kind. */
#include <armci.h>
#include <message.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 4, rounds = 200, words = 16 };

static int me, nproc;
static void** at;

/* Word w of thread t in the block of worker p; the last words are everybody's. */
static long* own(int p, int t, int w) {
  return (long*)at[p] + t * words + w;
}
static long* shared(int p, int w) {
  return (long*)at[p] + threads * words + w;
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
