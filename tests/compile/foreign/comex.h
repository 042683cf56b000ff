/* A comex.h as another runtime has it: the classic interface, nothing that only ours offers, other numbers
 * for what has a name, and no word that it is C. bench_any has to do with this one alone. */
#ifndef FOREIGN_COMEX_H_
#define FOREIGN_COMEX_H_

#include <mpi.h>
#include <stddef.h>

#define COMEX_SUCCESS 0
#define COMEX_FAILURE 1
#define COMEX_GROUP_WORLD 3
#define COMEX_GROUP_NULL (-1)
#define COMEX_MAX_STRIDE_LEVEL 8

enum { COMEX_SWAP = 110, COMEX_SWAP_LONG, COMEX_FETCH_AND_ADD, COMEX_FETCH_AND_ADD_LONG };
enum { COMEX_ACC_INT = 137, COMEX_ACC_DBL, COMEX_ACC_FLT, COMEX_ACC_CPL, COMEX_ACC_DCP, COMEX_ACC_LNG };

typedef int comex_group_t;
typedef int comex_request_t;
typedef struct {
  void** src;
  void** dst;
  int count;
  int bytes;
} comex_giov_t;

int comex_init(void);
int comex_init_args(int* argc, char*** argv);
int comex_finalize(void);
int comex_initialized(void);
void comex_error(char* msg, int code);

int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group);
int comex_group_free(comex_group_t group);
int comex_group_rank(comex_group_t group, int* rank);
int comex_group_size(comex_group_t group, int* size);
int comex_group_comm(comex_group_t group, MPI_Comm* comm);

int comex_barrier(comex_group_t group);
int comex_fence_all(comex_group_t group);
int comex_fence_proc(int proc, comex_group_t group);
int comex_wait_all(comex_group_t group);
int comex_wait_proc(int proc, comex_group_t group);
int comex_wait(comex_request_t* handle);
int comex_test(comex_request_t* handle, int* status);

int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group);
int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group);
int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group);
int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
               comex_group_t group);
int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count, int levels, int proc,
               comex_group_t group);
int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* count,
               int levels, int proc, comex_group_t group);
int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group);
int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group);
int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group);
int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle);
int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group, comex_request_t* handle);
int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                comex_request_t* handle);
int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group);

int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group);
int comex_free(void* ptr, comex_group_t group);
void* comex_malloc_local(size_t bytes);
int comex_free_local(void* ptr);
int comex_create_mutexes(int num);
int comex_destroy_mutexes(void);
int comex_lock(int mutex, int proc);
int comex_unlock(int mutex, int proc);

#endif
