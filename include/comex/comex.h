/*
 * comex.h: one-sided communication between the workers of an MPI job. C99 and C++20.
 *
 * Conventions, unless a declaration says otherwise:
 * - Functions return COMEX_SUCCESS or COMEX_FAILURE. An error prints one line. The line names the rank, the
 *   operation, the address, and the target as a rank of the group of the call. Then the job ends; after
 *   comex_set_errors(COMEX_ERRORS_RETURN) the function returns COMEX_FAILURE instead.
 * - `proc` is a rank of `group`. A remote address comes from comex_malloc, comex_malloc_mem_dev or
 *   comex_malloc_local of that rank, plus any offset that stays inside. A local address is any memory.
 * - The caller owns every buffer and array that it passes. Arrays of addresses, strides and counts, and a
 *   scale, may be reused when a call returns, also when it is non-blocking. What a call gives is valid if it
 *   succeeds.
 * - Under MPI_THREAD_MULTIPLE several threads may call every function but init and finalize at a time. One
 *   thread of a process at a time makes collective calls over one group, in one order on all members. One
 *   thread of a process at a time makes groups and lets worlds meet or part, since MPI's communicators
 *   require it; threads that drive endpoints of one group do so together.
 * - A worker serves itself without a thread where there is no progress rank and MPI has no
 *   MPI_THREAD_MULTIPLE. Every call serves others now and then there, so that a loop around any call sees
 *   what others write.
 * - A forked child has no runtime. A call in a child prints a line and ends the child only. Memory from
 *   malloc is not mapped in the child either (EFAULT, SIGSEGV). With COMEX_FORK=share it is: the child may
 *   load and store until it exits, as a checkpoint does, while the parent goes on.
 */
#ifndef COMEX_COMEX_H_
#define COMEX_COMEX_H_

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h> /* programs count on comex.h for it */

#if defined(__GNUC__)
#define COMEX_API __attribute__((visibility("default")))
#else
#define COMEX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define COMEX_VERSION_MAJOR 0
#define COMEX_VERSION_MINOR 1
#define COMEX_VERSION_PATCH 0

#define COMEX_SUCCESS 0
#define COMEX_FAILURE 1

#define COMEX_GROUP_WORLD 0   /* all workers, numbered from 0; progress ranks are in no group */
#define COMEX_GROUP_NULL (-1) /* what a rank outside a new group gets */

#define COMEX_MAX_STRIDE_LEVEL 8

/* comex_rmw: what happens to *prem, and what *ploc must hold. Plain forms: int, _LONG forms: long. */
#define COMEX_SWAP 10 /* exchanges *prem and *ploc */
#define COMEX_SWAP_LONG 11
#define COMEX_FETCH_AND_ADD 12 /* *ploc = *prem; *prem += extra */
#define COMEX_FETCH_AND_ADD_LONG 13
#define COMEX_COMPARE_AND_SWAP \
  14 /* ploc[0]: expected value in, old value out; ploc[1]: desired value, kept */
#define COMEX_COMPARE_AND_SWAP_LONG 15
#define COMEX_FETCH_AND_AND 16 /* *ploc = *prem; *prem &= extra */
#define COMEX_FETCH_AND_AND_LONG 17
#define COMEX_FETCH_AND_OR 18 /* *ploc = *prem; *prem |= extra */
#define COMEX_FETCH_AND_OR_LONG 19
#define COMEX_FETCH_AND_XOR 20 /* *ploc = *prem; *prem ^= extra */
#define COMEX_FETCH_AND_XOR_LONG 21

/* Element types of an accumulate; `scale` points to one element of the same type. */
#define COMEX_ACC_OFF 36
#define COMEX_ACC_INT (COMEX_ACC_OFF + 1) /* int */
#define COMEX_ACC_DBL (COMEX_ACC_OFF + 2) /* double */
#define COMEX_ACC_FLT (COMEX_ACC_OFF + 3) /* float */
#define COMEX_ACC_CPL (COMEX_ACC_OFF + 4) /* two floats: real, imaginary */
#define COMEX_ACC_DCP (COMEX_ACC_OFF + 5) /* two doubles: real, imaginary */
#define COMEX_ACC_LNG (COMEX_ACC_OFF + 6) /* long */

/* How comex_wait_until compares the word (left) with the value (right). */
#define COMEX_CMP_EQ 0
#define COMEX_CMP_NE 1
#define COMEX_CMP_GT 2
#define COMEX_CMP_GE 3
#define COMEX_CMP_LT 4
#define COMEX_CMP_LE 5

#define COMEX_ERRORS_ABORT 0  /* print the line, end the job with a code from 1 to 123 (the default) */
#define COMEX_ERRORS_RETURN 1 /* print the line, return COMEX_FAILURE */

typedef int comex_group_t;
typedef int comex_request_t;

/* `count` pairs of addresses, `bytes` moved between each pair. In a get, src is the remote side. */
typedef struct {
  void** src;
  void** dst;
  int count;
  int bytes;
} comex_giov_t;

/* -- Start and end --
 * Init is collective over MPI_COMM_WORLD (or `comm`). It starts MPI if nobody has. On a progress rank it does
 * not return until the job ends; comex_init_comm returns COMEX_FAILURE there once the workers have finalized.
 * A second init keeps the first communicator, and init after finalize starts anew; calls are not counted.
 * Finalize is collective over the workers. It completes what is outstanding, frees what is still allocated,
 * and leaves MPI running. What stops an init that has begun ends the job, with COMEX_ERRORS_RETURN too. */
COMEX_API int comex_init(void);
COMEX_API int comex_init_args(int* argc, char*** argv);
COMEX_API int comex_init_comm(MPI_Comm comm); /* the communicator is duplicated; the caller keeps its own */
COMEX_API int comex_finalize(void);
COMEX_API int comex_initialized(void);                 /* 1 between init and finalize, else 0; never fails */
COMEX_API void comex_error(const char* msg, int code); /* prints the message and ends the job; no return */
COMEX_API int comex_set_errors(int mode);  /* COMEX_ERRORS_ABORT or _RETURN, for this process; any time */
COMEX_API int comex_get_errors(int* mode); /* what was set last; any time */
COMEX_API int comex_version(int* major, int* minor, int* patch); /* of the library; any time */
/* The thread level to start MPI with, for programs that start MPI before init. It is MPI_THREAD_MULTIPLE
 * where a worker may have to serve itself by a thread, else MPI_THREAD_FUNNELED: the runtime's other threads
 * never call MPI. */
COMEX_API int comex_thread_level(void);

/* -- Groups --
 * Create is collective over the members of `group` in pid_list: n distinct ranks of `group`, which is no
 * inter-group, in the order of the new ranks. Others may call it too, and get COMEX_GROUP_NULL. The
 * group is created on all members, or those who wait fail after COMEX_MEET_S, with a line that has the list
 * and the ranks that did not call. A wrong argument fails at once on the rank that passed it, and by that
 * time limit on the others. Free is collective over the group. */
COMEX_API int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group);
COMEX_API int comex_group_free(comex_group_t group);
COMEX_API int comex_group_rank(comex_group_t group, int* rank); /* COMEX_GROUP_NULL has rank -1 */
COMEX_API int comex_group_size(comex_group_t group, int* size); /* and size 0 */
/* The communicator of the members, in rank order. The library owns it, and it lives as long as the group. Its
 * error handler is that of MPI_COMM_WORLD at init, or of the communicator of comex_init_comm. The program
 * makes its MPI collectives on it, since MPI_COMM_WORLD holds progress ranks, which never join in. */
COMEX_API int comex_group_comm(comex_group_t group, MPI_Comm* comm);
/* Both arrays hold n >= 0 ranks; ranks_from holds ranks of `from`. A process that `to` does not have becomes
 * MPI_UNDEFINED. Ranks of an inter-group are those of its remote side, as in operations; so is group_rank
 * below. *world_rank is the process's local id. */
COMEX_API int comex_group_translate_ranks(int n, comex_group_t from, int* ranks_from, comex_group_t to,
                                          int* ranks_to);
COMEX_API int comex_group_translate_world(comex_group_t group, int group_rank, int* world_rank);
/* The number, from 0, of the (virtual) host on which `proc` runs. Ranks of one number share memory, and a
 * pointer to it means the same to all of them. */
COMEX_API int comex_host_of(int proc, comex_group_t group, int* host);

/* -- Completion and order --
 * A caller sees its own operations on one target in program order. A write has happened at the target, for
 * everybody, once a fence of the caller has returned. Other processes may rely on order only through fence,
 * barrier, rmw, put_signal, and an unlock after a fence. A wait never implies a fence. A fence also completes
 * the caller's implicit requests; of a request with a handle its wait alone tells that the source is free. */
COMEX_API int comex_barrier(comex_group_t group); /* collective: every member fences all, then all meet */
COMEX_API int comex_fence_all(comex_group_t group);
COMEX_API int comex_fence_proc(int proc, comex_group_t group);
COMEX_API int comex_wait_all(comex_group_t group); /* all handles and implicit requests to members */
COMEX_API int comex_wait_proc(int proc, comex_group_t group); /* the same, to one member */
/* Waits for the local completion of one request: sources of put and acc may be reused, results of get and rmw
 * are there. A copy of a handle, or a handle that is complete, succeeds at once. A value that was never
 * issued is an error. */
COMEX_API int comex_wait(comex_request_t* handle);
COMEX_API int comex_test(comex_request_t* handle, int* status); /* *status: 0 done, 1 pending */
/* Makes one round of progress on what is under way here, MPI included, and never waits. Programs call it in
 * loops of their own, around MPI_Test for instance. */
COMEX_API int comex_progress(void);

/* -- Contiguous operations --
 * `bytes` >= 0; src and dst may be NULL where it is 0, a scale never. A blocking put or acc returns when src
 * may be reused, a get when dst is filled. src and dst must not overlap. */
COMEX_API int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group);
COMEX_API int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group);
/* dst[i] += *scale * src[i]. Each element is updated atomically among accumulates of one type. `op` is a
 * COMEX_ACC_ type. Bytes at the end that do not fill an element are not accumulated; in the forms below that
 * holds for each run. */
COMEX_API int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group);

/* -- Strided operations --
 * count[0] is the number of bytes of one run, count[1..stride_levels] are numbers of repetitions
 * (stride_levels + 1 entries). src_stride[i] and dst_stride[i] are the bytes between repetitions at level
 * i + 1 (stride_levels entries each); a stride does not matter where the count is 1. 0 <= stride_levels <=
 * COMEX_MAX_STRIDE_LEVEL. A count of 0 moves nothing, whatever the strides. Negative counts and strides are
 * refused; a program begins at the lowest address of both sides instead. Written runs of a put or get must
 * not overlap; they are refused where a stride is shorter than a run, or where the runs have more bytes than
 * they span. Sources and accumulated runs may overlap. */
COMEX_API int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int stride_levels, int proc, comex_group_t group);
COMEX_API int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int stride_levels, int proc, comex_group_t group);
COMEX_API int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                         int* count, int stride_levels, int proc, comex_group_t group);

/* -- Vector operations --
 * `len` descriptors, each of darr[i].count pairs of addresses of darr[i].bytes bytes; no number is negative.
 * Descriptors may name a place more than once: a put or get leaves one of the values there. */
COMEX_API int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group);
COMEX_API int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group);
COMEX_API int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group);

/* -- Non-blocking operations --
 * They take the same arguments, and then a handle that comex_wait or comex_test completes. Until then the
 * program may not change sources nor read results. A NULL handle makes an implicit request, which wait_proc,
 * wait_all, a fence or a barrier completes. The number of requests is not limited. */
COMEX_API int comex_nbput(void* src, void* dst, int bytes, int proc, comex_group_t group,
                          comex_request_t* handle);
COMEX_API int comex_nbget(void* src, void* dst, int bytes, int proc, comex_group_t group,
                          comex_request_t* handle);
COMEX_API int comex_nbacc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group,
                          comex_request_t* handle);
COMEX_API int comex_nbputs(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                           int stride_levels, int proc, comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbgets(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                           int stride_levels, int proc, comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbaccs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                           int* count, int stride_levels, int proc, comex_group_t group,
                           comex_request_t* handle);
COMEX_API int comex_nbputv(comex_giov_t* darr, int len, int proc, comex_group_t group,
                           comex_request_t* handle);
COMEX_API int comex_nbgetv(comex_giov_t* darr, int len, int proc, comex_group_t group,
                           comex_request_t* handle);
COMEX_API int comex_nbaccv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group,
                           comex_request_t* handle);

/* -- Read-modify-write --
 * Of one naturally aligned int or long at `prem`, atomic among rmw calls of all workers. It takes effect
 * after the caller's earlier writes to that target. `op` is one of the codes above. `extra` is its operand:
 * sign-extended in the _LONG forms, ignored by swap and compare-and-swap. *ploc receives the old value.
 * COMEX_COMPARE_AND_SWAP stores ploc[1] if *prem == ploc[0]; ploc has two elements, and the swap happened
 * exactly if ploc[0] receives the expected value. */
COMEX_API int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group);
COMEX_API int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                          comex_request_t* handle);

/* -- Signals --
 * put_signal writes `bytes` bytes to dst, then stores `value` to the aligned word `signal`; both are memory
 * of `proc`. Whoever sees the value (wait_until) also sees the data and all earlier writes of the caller to
 * `proc`. Where the data or the word is refused, neither is written; for small data the next fence tells it.
 * The call returns when src may be reused. */
COMEX_API int comex_put_signal(void* src, void* dst, int bytes, long* signal, long value, int proc,
                               comex_group_t group);
/* Returns once the local, aligned `*word` compares (COMEX_CMP_) with `value`, with acquire order. The call
 * makes progress while it waits. A signal wakes it at once; it sees plain stores within COMEX_NAP_MAX_US
 * microseconds. */
COMEX_API int comex_wait_until(long* word, int compare, long value);

/* -- Memory --
 * Malloc and free are collective over `group`. ptr_arr has one entry a rank and receives the address of every
 * member's part, which the ranks of its host may load and store. `bytes` may differ by rank, and 0 gives
 * NULL. Memory is aligned to 64 bytes at least and not cleared. Its pages come when they are first touched,
 * so that a large block costs no more than a small one. A block that does not fit on its host is still
 * refused, on every rank. */
COMEX_API int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group);
/* `device` is NULL (as comex_malloc) or a terminated string: "dram", "hbm" or "numa:N". */
COMEX_API int comex_malloc_mem_dev(void** ptr_arr, size_t bytes, comex_group_t group, const char* device);
/* `ptr` is any member's address of that allocation, or NULL. If one rank names an address, all free that
 * allocation. If all pass NULL, the call succeeds and frees nothing, as after a malloc of 0 bytes by all. The
 * caller's own address is the quickest, since the owner of another one has to be asked. An address that hosts
 * use for several allocations is refused. `group` has the members of the group of the malloc, in any order.
 * The call fences first. */
COMEX_API int comex_free(void* ptr, comex_group_t group);
COMEX_API int comex_free_dev(void* ptr, comex_group_t group); /* the same; of comex_malloc_mem_dev */
/* Not collective: memory of the caller, which other ranks may use like any other. 0 bytes give NULL. Without
 * room the call returns NULL as well, whatever comex_set_errors chose, and the program goes on; the first
 * time in a process a line tells of it. */
COMEX_API void* comex_malloc_local(size_t bytes);
COMEX_API int comex_free_local(void* ptr); /* NULL is allowed */

/* -- Mutexes --
 * Create and destroy are collective over the workers, and must alternate. Each worker brings `num` >= 0
 * mutexes of its own. A mutex is named by (mutex, proc); proc is a rank of COMEX_GROUP_WORLD. Locks are
 * granted in order of arrival and are not recursive. They fence nothing: a program fences before unlock to
 * publish its writes. Only the owner may unlock; worlds.h says who that is among endpoints. */
COMEX_API int comex_create_mutexes(int num);
COMEX_API int comex_destroy_mutexes(void);
COMEX_API int comex_lock(int mutex, int proc);
COMEX_API int comex_trylock(int mutex, int proc,
                            int* acquired); /* never waits; *acquired: 1 locked, 0 busy */
COMEX_API int comex_unlock(int mutex, int proc);

#ifdef __cplusplus
}
#endif

/* Atomic operations on typed words, accumulates with other operations, sizes beyond 2 GiB, more signals,
 * fences. */
#include "extended.h"

#endif
