/*
 * armci.h: the ARMCI interface as distributions package it (ARMCI-MPI), for libarmci-openmpi and
 * libarmci-mpich. C99 and C++20.
 *
 * - Functions that return int yield 0 on success, unless a declaration says otherwise. An error prints one
 * line and ends the job (see comex_set_errors in comex.h).
 * - `proc` of every data operation, lock and fence is a rank of the world of workers, whatever the default
 * group is. Malloc, Free and Barrier are collective over the world as well; the default group is where
 * Group_create takes its ranks from.
 * - A program uses this interface or the one of comex/armci.h (libarmci), never both: types and codes
 * differ.
 */
#ifndef COMEX_ARMCI_MPI_ARMCI_H_
#define COMEX_ARMCI_MPI_ARMCI_H_

#ifdef COMEX_ARMCI_H_
#error "comex/armci.h and comex/armci-mpi/armci.h are two interfaces: include one of them"
#endif

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define ARMCI_MPI 3
#define ARMCII_MPI_SIZE_T MPI_LONG

/* Element types of an accumulate. */
enum ARMCI_Acc_e {
  ARMCI_ACC_INT,
  ARMCI_ACC_LNG,
  ARMCI_ACC_FLT,
  ARMCI_ACC_DBL,
  ARMCI_ACC_CPL, /* two floats: real, imaginary */
  ARMCI_ACC_DCP  /* two doubles: real, imaginary */
};

/* ARMCI_Rmw: int, and long in the _LONG forms. */
enum ARMCI_Rmw_e { ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG };

typedef long armci_size_t;
typedef int armci_domain_t;
enum armci_domain_e { ARMCI_DOMAIN_SMP };

/* The library's; clients read comm, rank and size. */
typedef struct {
  MPI_Comm comm;                /* the members, in rank order */
  MPI_Comm noncoll_pgroup_comm; /* always MPI_COMM_NULL */
  int* grp_to_abs;              /* group rank to world rank */
  int* abs_to_grp;              /* world rank to group rank, or -1 */
  int rank;
  int size;
} ARMCI_Group;

typedef struct armci_hdl_s {
  int target; /* names the request */
  int aggregate;
} armci_hdl_t;

/* `ptr_array_len` pairs of addresses, `bytes` moved between each pair. In a get, src is the remote side. */
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int bytes;
  int ptr_array_len;
} armci_giov_t;

/* -- Start and end. Init may come more than once, the first one starts; as many calls of Finalize end, and
 * more than that do nothing. MPI_Finalize ends whatever has not. */
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
/* The thread level is what to start MPI with, if nobody has; not 0 on a progress rank, once all is over. */
int ARMCI_Init_thread(int armci_requested);
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int ARMCI_Initialized(void);
int ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char* msg, int code);

/* -- Memory. The _group forms are collective over the group, Malloc over the world, Free over the group that
 * the memory is of, by the caller's own address; that group may have been freed, if no member has NULL. Of 0
 * bytes one gets NULL, which is freed as well; where all have NULL, Free is over what Malloc is over. */
int ARMCI_Malloc(void** ptr_arr, armci_size_t bytes);
int ARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device);
int ARMCI_Free(void* ptr);
int ARMCI_Free_memdev(void* ptr);
int ARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group);
int ARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device);
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);
/* Not collective. NULL without room, and the program goes on; a line tells of it, once a process. A negative
 * number of bytes ends the job. */
void* ARMCI_Malloc_local(armci_size_t bytes);
int ARMCI_Free_local(void* ptr);
void ARMCI_Set_shm_limit(unsigned long limit); /* accepted; memory is limited by the machine only */
/* Whether any two workers, or members, share a host's memory: that pointers of the one serve the other. */
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);
void ARMCI_Copy(void* src, void* dst, int bytes);

/* Around loads and stores of the own part of an allocation; they are coherent with remote operations anyway.
 */
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);

/* -- Completion and order */
void ARMCI_Barrier(void); /* fences, then meets, the world */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
int ARMCI_Wait(armci_hdl_t* handle);
int ARMCI_Test(armci_hdl_t* handle); /* 0 done, 1 pending */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* An aggregate handle stands for all requests that are started with it: they are waited for and tested
 * together. */
void ARMCI_INIT_HANDLE(armci_hdl_t* handle);
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);

/* -- Contiguous */
int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);

/* -- Strided: count[0] in bytes, count[1..stride_levels] repetitions, strides in bytes, at most 8 levels.
 * Negative counts and strides are refused: begin at the lowest address of both sides. */
int ARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
               int proc);
int ARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
               int proc);
int ARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
               int count[], int stride_levels, int proc);
int ARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                 int proc, armci_hdl_t* handle);
int ARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                 int proc, armci_hdl_t* handle);
int ARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                 int count[], int stride_levels, int proc, armci_hdl_t* handle);
/* Pack a local patch into buf; unpack buf into a local patch. Strides may be negative here. */
void armci_write_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf);
void armci_read_strided(void* ptr, int stride_levels, int stride[], int count[], char* buf);

/* -- Data first, then the flag: who sees the flag sees the data. */
int ARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int ARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                    int* flag, int value, int proc);

/* -- Vector */
int ARMCI_PutV(armci_giov_t* iov, int len, int proc);
int ARMCI_GetV(armci_giov_t* iov, int len, int proc);
int ARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc);
int ARMCI_NbPutV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int ARMCI_NbGetV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int ARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);

/* -- Values */
int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);
int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* handle);
int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* -- Atomics, mutexes */
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);

/* -- Groups. Ranks are those of the default group (create) or of the parent (create_child); only members, or
 * all of the parent, call. Others than members get a
 * group of size 0 in which their rank is -1 and comm is MPI_COMM_NULL. */
void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* parent);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);

/* -- Domains: the consecutive ranks of one host, numbered from 0; id -1 is the own one. They need not hold
 * equally many. Where the launcher deals ranks to hosts in turn, a host has several: ARMCI_Same_node tells of
 * hosts. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);

/* -- Behind every ARMCI_X, a weak name, is PARMCI_X: a profiler defines its own ARMCI_X and calls PARMCI_X.
 */
int PARMCI_Init(void);
int PARMCI_Init_args(int* argc, char*** argv);
int PARMCI_Init_thread(int armci_requested);
int PARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);
int PARMCI_Initialized(void);
int PARMCI_Finalize(void);
void PARMCI_Cleanup(void);
void PARMCI_Error(const char* msg, int code);
int PARMCI_Malloc(void** ptr_arr, armci_size_t bytes);
int PARMCI_Malloc_memdev(void** ptr_arr, armci_size_t bytes, const char* device);
int PARMCI_Free(void* ptr);
int PARMCI_Free_memdev(void* ptr);
int PARMCI_Malloc_group(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group);
int PARMCI_Malloc_group_memdev(void** ptr_arr, armci_size_t bytes, ARMCI_Group* group, const char* device);
int PARMCI_Free_group(void* ptr, ARMCI_Group* group);
void* PARMCI_Malloc_local(armci_size_t bytes);
int PARMCI_Free_local(void* ptr);
void PARMCI_Set_shm_limit(unsigned long limit);
int PARMCI_Uses_shm(void);
int PARMCI_Uses_shm_grp(ARMCI_Group* group);
void PARMCI_Copy(void* src, void* dst, int bytes);
void PARMCI_Access_begin(void* ptr);
void PARMCI_Access_end(void* ptr);
void PARMCI_Barrier(void);
void PARMCI_Fence(int proc);
void PARMCI_AllFence(void);
int PARMCI_Wait(armci_hdl_t* handle);
int PARMCI_Test(armci_hdl_t* handle);
int PARMCI_WaitProc(int proc);
int PARMCI_WaitAll(void);
void PARMCI_INIT_HANDLE(armci_hdl_t* handle);
void PARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void PARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);
int PARMCI_Put(void* src, void* dst, int bytes, int proc);
int PARMCI_Get(void* src, void* dst, int bytes, int proc);
int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int PARMCI_PutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                int proc);
int PARMCI_GetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                int proc);
int PARMCI_AccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                int count[], int stride_levels, int proc);
int PARMCI_NbPutS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbGetS(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                  int proc, armci_hdl_t* handle);
int PARMCI_NbAccS(int datatype, void* scale, void* src, int src_stride[], void* dst, int dst_stride[],
                  int count[], int stride_levels, int proc, armci_hdl_t* handle);
int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);
int PARMCI_PutS_flag(void* src, int src_stride[], void* dst, int dst_stride[], int count[], int stride_levels,
                     int* flag, int value, int proc);
int PARMCI_PutV(armci_giov_t* iov, int len, int proc);
int PARMCI_GetV(armci_giov_t* iov, int len, int proc);
int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc);
int PARMCI_NbPutV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_NbGetV(armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int len, int proc, armci_hdl_t* handle);
int PARMCI_PutValueInt(int src, void* dst, int proc);
int PARMCI_PutValueLong(long src, void* dst, int proc);
int PARMCI_PutValueFloat(float src, void* dst, int proc);
int PARMCI_PutValueDouble(double src, void* dst, int proc);
int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* handle);
int PARMCI_GetValueInt(void* src, int proc);
long PARMCI_GetValueLong(void* src, int proc);
float PARMCI_GetValueFloat(void* src, int proc);
double PARMCI_GetValueDouble(void* src, int proc);
int PARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int PARMCI_Create_mutexes(int count);
int PARMCI_Destroy_mutexes(void);
void PARMCI_Lock(int mutex, int proc);
void PARMCI_Unlock(int mutex, int proc);
void PARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);
void PARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* parent);
void PARMCI_Group_free(ARMCI_Group* group);
int PARMCI_Group_rank(ARMCI_Group* group, int* rank);
void PARMCI_Group_size(ARMCI_Group* group, int* size);
void PARMCI_Group_set_default(ARMCI_Group* group);
void PARMCI_Group_get_default(ARMCI_Group* group_out);
void PARMCI_Group_get_world(ARMCI_Group* group_out);
int PARMCI_Absolute_id(ARMCI_Group* group, int group_rank);
int PARMCI_Same_node(int proc);
void parmci_msg_barrier(void);
void parmci_msg_group_barrier(ARMCI_Group* group);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include "message.h"

#endif
