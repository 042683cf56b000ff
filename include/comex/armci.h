/*
 * armci.h: the ARMCI interface as Global Arrays is built against from source. C99 and C++20.
 *
 * - Functions that return int yield 0 on success, unless a declaration says otherwise. An error prints one
 * line and ends the job (see comex_set_errors in comex.h).
 * - `proc` of every data operation, lock and fence is a rank of the world of workers, whatever the default
 * group is. Malloc, Free and Barrier are collective over the default group.
 * - A program uses this interface (libarmci) or the one of comex/armci-mpi (libarmci-openmpi,
 * libarmci-mpich), never both.
 */
#ifndef COMEX_ARMCI_H_
#define COMEX_ARMCI_H_

#ifdef COMEX_ARMCI_MPI_ARMCI_H_
#error "comex/armci.h and comex/armci-mpi/armci.h are two interfaces: include one of them"
#endif

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h> /* programs count on armci.h for it */

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define ARMCI_MAX_STRIDE_LEVEL 8

/* ARMCI_Rmw: int, and long in the _LONG forms. */
#define ARMCI_SWAP 10
#define ARMCI_SWAP_LONG 11
#define ARMCI_FETCH_AND_ADD 12
#define ARMCI_FETCH_AND_ADD_LONG 13

/* Element types of an accumulate. */
#define ARMCI_ACC_OFF 36
#define ARMCI_ACC_INT (ARMCI_ACC_OFF + 1)
#define ARMCI_ACC_DBL (ARMCI_ACC_OFF + 2)
#define ARMCI_ACC_FLT (ARMCI_ACC_OFF + 3)
#define ARMCI_ACC_CPL (ARMCI_ACC_OFF + 4)
#define ARMCI_ACC_DCP (ARMCI_ACC_OFF + 5)
#define ARMCI_ACC_LNG (ARMCI_ACC_OFF + 6)

#define FAIL (-1)
#define FAIL2 (-2)
#define FAIL3 (-3)
#define FAIL4 (-4)
#define FAIL5 (-5)
#define FAIL6 (-6)
#define FAIL7 (-7)
#define FAIL8 (-8)

typedef int ARMCI_Group;
typedef int armci_hdl_t;
#define armci_req_t armci_hdl_t
typedef long armci_size_t;
typedef int armci_domain_t;
enum armci_domain_e { ARMCI_DOMAIN_SMP };

/* `ptr_array_len` pairs of addresses, `bytes` moved between each pair. In a get, src is the remote side. */
typedef struct {
  void** src_ptr_array;
  void** dst_ptr_array;
  int ptr_array_len;
  int bytes;
} armci_giov_t;

typedef struct {
  char* armci_addr; /* for ARMCI calls, everywhere */
  char* addr;       /* for loads and stores of the one who made it */
  size_t size;
  int cpid; /* the world rank of the one who made it */
  long idlist[128];
} armci_meminfo_t;

/* -- Start and end. Init may come more than once, the first one counts; so may Finalize. */
int ARMCI_Init(void);
int ARMCI_Init_args(int* argc, char*** argv);
int ARMCI_Init_mpi_comm(MPI_Comm comm); /* 1 on a worker; 0 on a progress rank, once all is over */
int ARMCI_Initialized(void);
void ARMCI_Finalize(void);
void ARMCI_Cleanup(void);
void ARMCI_Error(const char* msg, int code);

/* -- Memory. The _group forms are collective over the group, Malloc over the default group, Free over the
 * group that the memory is of, by the caller's own address; that group may have been freed, if no member has
 * NULL. Of 0 bytes one gets NULL, which is freed as well, over what Malloc is over by then: the default group
 * has to be that of the memory. */
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

/* Memory of one process that the others of its host may attach to: Memget makes it and describes it, the
 * description travels by the caller's own means, Memat gives an address for loads and stores (null on another
 * host), Memdt ends that use, Memctl by the one who made it frees it. */
void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int flag);
void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memdt(armci_meminfo_t* meminfo, long offset);
void ARMCI_Memctl(armci_meminfo_t* meminfo);

/* -- Completion and order */
void ARMCI_Barrier(void); /* fences all workers, then meets the default group */
void ARMCI_Fence(int proc);
void ARMCI_AllFence(void);
void ARMCI_GroupFence(ARMCI_Group* group);
int ARMCI_Wait(armci_hdl_t* handle);
int ARMCI_Test(armci_hdl_t* handle); /* 0 done, 1 pending */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* An aggregate handle stands for all requests that are started with it: they are waited for and tested
 * together. */
#define ARMCI_INIT_HANDLE(handle) ((void)(*(handle) = 0))
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);

/* -- Contiguous */
int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);
int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* handle);
#define ARMCI_Put1(src, dst, bytes, proc) ARMCI_Put((src), (dst), (bytes), (proc))

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
int ARMCI_PutS_flag_dir(void* src, int src_stride[], void* dst, int dst_stride[], int count[],
                        int stride_levels, int* flag, int value, int proc);

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

/* -- Atomics, mutexes, notification */
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);
int ARMCI_Create_mutexes(int count);
int ARMCI_Destroy_mutexes(void);
void ARMCI_Lock(int mutex, int proc);
void ARMCI_Unlock(int mutex, int proc);
/* notify tells `proc` that all earlier operations on it are done; notify_wait waits for the next one from
 * `proc` and yields in *value the number of this one, from 1. */
int armci_notify(int proc);
int armci_notify_wait(int proc, int* value);

/* -- Groups. Ranks are those of the default group (create) or of the parent (create_child); only members, or
 * all of the parent, call. Others than members get a group of size 0 in which their rank is -1. */
void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out, ARMCI_Group* parent);
void ARMCI_Group_free(ARMCI_Group* group);
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
void ARMCI_Group_size(ARMCI_Group* group, int* size);
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);
void ARMCI_Group_get_world(ARMCI_Group* group_out);
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);
MPI_Comm armci_group_comm(ARMCI_Group* group);
extern MPI_Comm ARMCI_COMM_WORLD; /* the workers; MPI_COMM_WORLD holds progress ranks as well */

/* -- Domains: the consecutive ranks of one host, numbered from 0; id -1 is the own one. They need not hold
 * equally many. Where the launcher deals ranks to hosts in turn, a host has several: ARMCI_Same_node tells of
 * hosts. */
int armci_domain_nprocs(armci_domain_t domain, int id);
int armci_domain_id(armci_domain_t domain, int glob_proc_id);
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);
int armci_domain_my_id(armci_domain_t domain);
int armci_domain_count(armci_domain_t domain);
int armci_domain_same_id(armci_domain_t domain, int proc);
int armci_sameclusnode(int proc);
int ARMCI_Same_node(int proc);

/* -- Complaints: derr_printf prints a line of the caller's, dassertp_fail says which condition failed and
 * ends the job. In the macros, `message` is an argument list for derr_printf in parentheses. */
extern char* mp_group_name;
int derr_printf(const char* format, ...);
int dassertp_fail(const char* condition, const char* file, const char* function, unsigned int line, int code);
#define dassertc(enabled, condition, message, code)                         \
  do {                                                                      \
    if ((enabled) && !(condition)) {                                        \
      derr_printf message;                                                  \
      dassertp_fail(#condition, __FILE__, __func__, __LINE__, (int)(code)); \
    }                                                                       \
  } while (0)
#define dassertp(enabled, condition, message) dassertc(enabled, condition, message, FAIL)
#define dassert(enabled, condition) dassertp(enabled, condition, ("assertion failed"))
#define dassert1(enabled, condition, number) \
  dassertc(enabled, condition, ("assertion failed: %d", (int)(number)), number)
#define armci_die(message, code) dassertc(1, 0, ("%s: %d", (message), (int)(code)), code)
#define armci_die2(message, code1, code2) \
  dassertc(1, 0, ("%s: %d, %d", (message), (int)(code1), (int)(code2)), code1)

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#include "message.h"

#endif
