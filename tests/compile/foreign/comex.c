/* The least runtime behind that header: one host, all ranks workers, one window of MPI's that they share. */
#include "comex.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { most_extents = 4096, heading = 4096, adding = 0, mutex_zero = 8 }; /* the words in a part's heading */
static const size_t part_bytes = (size_t)96 << 20;

static struct {
  MPI_Comm comm;
  MPI_Win window;
  int me, size, extents;
  char** part;
  struct {
    size_t begin, end;
  } extent[most_extents];
} job;

int comex_init(void) {
  char* mine;
  MPI_Comm_dup(MPI_COMM_WORLD, &job.comm);
  MPI_Comm_rank(job.comm, &job.me);
  MPI_Comm_size(job.comm, &job.size);
  MPI_Win_allocate_shared((MPI_Aint)part_bytes, 1, MPI_INFO_NULL, job.comm, &mine, &job.window);
  job.part = malloc(sizeof(char*) * (size_t)job.size);
  for (int i = 0; i < job.size; ++i) {
    MPI_Aint bytes;
    int unit;
    MPI_Win_shared_query(job.window, i, &bytes, &unit, &job.part[i]);
  }
  memset(mine, 0, heading);
  job.extents = 0;
  return comex_barrier(COMEX_GROUP_WORLD);
}

int comex_finalize(void) {
  comex_barrier(COMEX_GROUP_WORLD);
  MPI_Win_free(&job.window);
  MPI_Comm_free(&job.comm);
  free(job.part);
  return COMEX_SUCCESS;
}

int comex_group_rank(comex_group_t group, int* rank) {
  *rank = job.me;
  return group == COMEX_GROUP_WORLD ? COMEX_SUCCESS : COMEX_FAILURE;
}

int comex_group_size(comex_group_t group, int* size) {
  *size = job.size;
  return group == COMEX_GROUP_WORLD ? COMEX_SUCCESS : COMEX_FAILURE;
}

int comex_group_comm(comex_group_t group, MPI_Comm* comm) {
  *comm = job.comm;
  return group == COMEX_GROUP_WORLD ? COMEX_SUCCESS : COMEX_FAILURE;
}

int comex_fence_all(comex_group_t group) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  return group == COMEX_GROUP_WORLD ? COMEX_SUCCESS : COMEX_FAILURE;
}

int comex_fence_proc(int proc, comex_group_t group) {
  return proc < job.size ? comex_fence_all(group) : COMEX_FAILURE;
}

int comex_wait_all(comex_group_t group) {
  return comex_fence_all(group);
}

int comex_barrier(comex_group_t group) {
  comex_fence_all(group);
  return MPI_Barrier(job.comm);
}

/* Everybody has the same offsets. What is given back last is used again first. */
int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group) {
  uint64_t wanted = (bytes + 63) / 64 * 64;
  size_t top = heading;
  MPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_UINT64_T, MPI_MAX, job.comm);
  for (int i = 0; i < job.extents; ++i) {
    if (job.extent[i].end > top) top = job.extent[i].end;
  }
  if (job.extents == most_extents || top + wanted > part_bytes) comex_error("no room", 1);
  job.extent[job.extents].begin = top;
  job.extent[job.extents++].end = top + wanted;
  for (int i = 0; i < job.size; ++i) ptr_arr[i] = job.part[i] + top;
  return group == COMEX_GROUP_WORLD ? COMEX_SUCCESS : COMEX_FAILURE;
}

void* comex_malloc_local(size_t bytes) {
  return malloc(bytes);
}

int comex_free_local(void* ptr) {
  free(ptr);
  return COMEX_SUCCESS;
}

int comex_free(void* ptr, comex_group_t group) {
  const size_t begin = (size_t)((char*)ptr - job.part[job.me]);
  for (int i = 0; i < job.extents; ++i) {
    if (job.extent[i].begin != begin) continue;
    job.extent[i] = job.extent[--job.extents];
    return comex_barrier(group);
  }
  return COMEX_FAILURE;
}

void comex_error(char* msg, int code) {
  (void)msg;
  MPI_Abort(MPI_COMM_WORLD, code);
}

static void take(int* word) {
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}

static void leave(int* word) {
  __atomic_store_n(word, 0, __ATOMIC_RELEASE);
}

static int* word_of(int proc, int word) {
  return (int*)(void*)(job.part[proc] + 64 * word);
}

int comex_create_mutexes(int num) {
  return num == 1 ? comex_barrier(COMEX_GROUP_WORLD) : COMEX_FAILURE;
}

int comex_destroy_mutexes(void) {
  return comex_barrier(COMEX_GROUP_WORLD);
}

int comex_lock(int mutex, int proc) {
  take(word_of(proc, mutex_zero + mutex));
  return COMEX_SUCCESS;
}

int comex_unlock(int mutex, int proc) {
  leave(word_of(proc, mutex_zero + mutex));
  return COMEX_SUCCESS;
}

/* Rows of a block, copied or, with a scale, added. */
static void walk(const double* scale, char* src, const int* src_stride, char* dst, const int* dst_stride,
                 const int* count, int level) {
  if (level != 0) {
    for (int i = 0; i < count[level]; ++i) {
      walk(scale, src + (ptrdiff_t)i * src_stride[level - 1], src_stride,
           dst + (ptrdiff_t)i * dst_stride[level - 1], dst_stride, count, level - 1);
    }
  } else if (scale == NULL) {
    memcpy(dst, src, (size_t)count[0]);
  } else {
    for (int i = 0; i < count[0] / 8; ++i) ((double*)(void*)dst)[i] += *scale * ((double*)(void*)src)[i];
  }
}

int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
               comex_group_t group) {
  walk(NULL, src, src_stride, dst, dst_stride, count, levels);
  return comex_fence_proc(proc, group);
}

int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
               comex_group_t group) {
  return comex_puts(src, src_stride, dst, dst_stride, count, levels, proc, group);
}

int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
               int levels, int proc, comex_group_t group) {
  if (op != COMEX_ACC_DBL) return COMEX_FAILURE;
  take(word_of(proc, adding));
  walk(scale, src, src_stride, dst, dst_stride, count, levels);
  leave(word_of(proc, adding));
  return comex_fence_all(group);
}

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return comex_puts(src, NULL, dst, NULL, &bytes, 0, proc, group);
}

int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return comex_put(src, dst, bytes, proc, group);
}

int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group) {
  return comex_accs(op, scale, src, NULL, dst, NULL, &bytes, 0, proc, group);
}

int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  for (int d = 0; d < len; ++d) {
    for (int i = 0; i < darr[d].count; ++i)
      comex_put(darr[d].src[i], darr[d].dst[i], darr[d].bytes, proc, group);
  }
  return COMEX_SUCCESS;
}

int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return comex_putv(darr, len, proc, group);
}

int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group) {
  for (int d = 0; d < len; ++d) {
    for (int i = 0; i < darr[d].count; ++i)
      comex_acc(op, scale, darr[d].src[i], darr[d].dst[i], darr[d].bytes, proc, group);
  }
  return COMEX_SUCCESS;
}

int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  (void)handle;
  return comex_put(src, dst, bytes, proc, group);
}

int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle) {
  return comex_nbput(src, dst, bytes, proc, group, handle);
}

int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle) {
  (void)handle;
  return comex_acc(op, scale, src, dst, bytes, proc, group);
}

int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group) {
  if (op != COMEX_FETCH_AND_ADD_LONG || proc >= job.size) return COMEX_FAILURE;
  *(long*)ploc = __atomic_fetch_add((long*)prem, extra, __ATOMIC_SEQ_CST);
  return comex_fence_all(group);
}
