/* A profiler for ARMCI programs: counts calls and bytes and takes the time of the blocking operations, and
 * prints a table when the program finalizes. Every ARMCI_X of the library is a weak name of PARMCI_X, so
 * these definitions take its place: link this file in front of the library, or preload it as a shared
 * library. It compiles against either flavour's headers. */
#include "profiler.h"

#include <stdio.h>

enum call { put, get, acc, put_strided, get_strided, acc_strided, rmw, fence, barrier, calls };
static const char* const names[calls] = {"Put",  "Get", "Acc",   "PutS",   "GetS",
                                         "AccS", "Rmw", "Fence", "Barrier"};

static struct { double count, bytes, seconds; } totals[calls];

static double begin(void) {
  return MPI_Wtime();
}

static void end(enum call call, double since, double bytes) {
  totals[call].count += 1;
  totals[call].bytes += bytes;
  totals[call].seconds += MPI_Wtime() - since;
}

static double patch_bytes(const int* count, int stride_levels) {
  double bytes = count[0];
  for (int level = 1; level <= stride_levels; ++level) bytes *= count[level];
  return bytes;
}

int ARMCI_Put(void* src, void* dst, int bytes, int proc) {
  double since = begin();
  int result = PARMCI_Put(src, dst, bytes, proc);
  end(put, since, bytes);
  return result;
}

int ARMCI_Get(void* src, void* dst, int bytes, int proc) {
  double since = begin();
  int result = PARMCI_Get(src, dst, bytes, proc);
  end(get, since, bytes);
  return result;
}

int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
  double since = begin();
  int result = PARMCI_Acc(datatype, scale, src, dst, bytes, proc);
  end(acc, since, bytes);
  return result;
}

int ARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
               int proc) {
  double since = begin();
  int result = PARMCI_PutS(src, src_stride, dst, dst_stride, count, stride_levels, proc);
  end(put_strided, since, patch_bytes(count, stride_levels));
  return result;
}

int ARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
               int proc) {
  double since = begin();
  int result = PARMCI_GetS(src, src_stride, dst, dst_stride, count, stride_levels, proc);
  end(get_strided, since, patch_bytes(count, stride_levels));
  return result;
}

int ARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
               int count[], int stride_levels, int proc) {
  double since = begin();
  int result = PARMCI_AccS(datatype, scale, src, src_stride, dst, dst_stride, count, stride_levels, proc);
  end(acc_strided, since, patch_bytes(count, stride_levels));
  return result;
}

int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc) {
  double since = begin();
  int result = PARMCI_Rmw(op, ploc, prem, value, proc);
  end(rmw, since, 0);
  return result;
}

void ARMCI_Fence(int proc) {
  double since = begin();
  PARMCI_Fence(proc);
  end(fence, since, 0);
}

void ARMCI_Barrier(void) {
  double since = begin();
  PARMCI_Barrier();
  end(barrier, since, 0);
}

FINALIZE_TYPE ARMCI_Finalize(void) {
  if (ARMCI_Initialized()) {
    double sums[3 * calls];
    char plus[] = "+";
    for (int i = 0; i < 3 * calls; ++i) {
      sums[i] = i % 3 == 0 ? totals[i / 3].count : i % 3 == 1 ? totals[i / 3].bytes : totals[i / 3].seconds;
    }
    armci_msg_dgop(sums, 3 * calls, plus);
    if (armci_msg_me() == 0) {
      printf("%-8s %10s %14s %12s\n", "ARMCI_", "calls", "bytes", "us per call");
      for (int i = 0; i < calls; ++i) {
        if (sums[3 * i] == 0) continue;
        printf("%-8s %10.0f %14.0f %12.3f\n", names[i], sums[3 * i], sums[3 * i + 1],
               1e6 * sums[3 * i + 2] / sums[3 * i]);
      }
      fflush(stdout);
    }
  }
  FINALIZE_RETURN PARMCI_Finalize();
}
