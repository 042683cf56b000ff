/* An aggregate handle issues one vector operation per target: counts what the façade calls of comex.h, by
 * standing in front of it. */
#define _GNU_SOURCE
#include <armci.h>
#include <comex.h>
#include <dlfcn.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int vectors, pieces, singles;

typedef int (*nbputv_f)(comex_giov_t*, int, int, comex_group_t, comex_request_t*);
typedef int (*put_f)(void*, void*, int, int, comex_group_t);
typedef int (*nbput_f)(void*, void*, int, int, comex_group_t, comex_request_t*);

static void next(const char* name, void* function) {
  void* found = dlsym(RTLD_NEXT, name);
  memcpy(function, &found, sizeof found);
}

int comex_nbputv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  nbputv_f real;
  next("comex_nbputv", &real);
  ++vectors;
  for (int i = 0; i < len; ++i) pieces += darr[i].count;
  return real(darr, len, proc, group, handle);
}

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  put_f real;
  next("comex_put", &real);
  ++singles;
  return real(src, dst, bytes, proc, group);
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  nbput_f real;
  next("comex_nbput", &real);
  ++singles;
  return real(src, dst, bytes, proc, group, handle);
}

int main(int argc, char** argv) {
  enum { words = 100 };
  ARMCI_Init_args(&argc, &argv);
  int me = armci_msg_me(), nproc = armci_msg_nproc(), wrong = 0;
  void** at = malloc((size_t)nproc * sizeof *at);
  long values[words];
  armci_hdl_t handle;
  ARMCI_Malloc(at, 2 * words * (armci_size_t)sizeof(long));
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  if (me == 0) {
    for (int i = 0; i < words; ++i) {
      values[i] = i;
      ARMCI_NbPut(&values[i], (long*)at[i % nproc] + i, sizeof(long), i % nproc, &handle);
    }
    for (int i = words; i < 2 * words; ++i) {
      ARMCI_NbPutValueLong(i, (long*)at[i % nproc] + i, i % nproc, &handle);
    }
    wrong += vectors + singles; /* nothing has left yet */
    ARMCI_Wait(&handle);
    wrong += vectors != nproc || pieces != 2 * words || singles != 0;
  }
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  armci_msg_barrier();
  for (int i = me; i < 2 * words; i += nproc) wrong += ((long*)at[me])[i] != i;
  if (me == 0) printf("%d vector operations with %d pieces, %d others\n", vectors, pieces, singles);
  armci_msg_barrier();
  ARMCI_Free(at[me]);
  ARMCI_Finalize();
  MPI_Finalize();
  free(at);
  return wrong != 0;
}
