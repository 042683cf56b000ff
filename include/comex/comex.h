/*
 * comex.h: one-sided communication between the workers of an MPI job. C99 and C++20.
 *
 * Conventions, unless a declaration says otherwise:
 * - Functions return COMEX_SUCCESS or COMEX_FAILURE. An error prints one line that names rank, operation,
 *   target, as a rank of the group of the call, and address; then the job ends, or, after
 *   comex_set_errors(COMEX_ERRORS_RETURN), the code returns.
 * - `proc` is a rank of `group`. Remote addresses come from comex_malloc, comex_malloc_mem_dev or
 *   comex_malloc_local of that rank, plus any offset that stays inside; local addresses are any memory.
 * - The caller owns every buffer and array that it passes; arrays of addresses, strides and counts may be
 *   reused on return of every call, also of a non-blocking one. Outputs are written on success only.
 * - Every function but init and finalize may be called from several threads at a time under
 *   MPI_THREAD_MULTIPLE; collective calls over one group by one thread of a process at a time, in one order
 *   on all members. Groups are made, and worlds meet or part, by one thread of a process at a time, or
 *   by threads that drive endpoints of one group, together: MPI's communicators want it so.
 * - Where a worker serves itself and has no thread for it (no progress rank, MPI without
 * MPI_THREAD_MULTIPLE), every call serves others now and then: a loop around any of them sees what they
 * write.
 * - A forked child has no runtime: calls are refused there, with a line, and end the child only. What malloc
 *   gave is not mapped there either (EFAULT, SIGSEGV), unless COMEX_FORK=share is set: then the child may
 * load and store until it exits, as a checkpoint does, while the parent goes on.
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

/* -- Start and end ------------------------------------------------------------------------------------------
 * Init is collective over MPI_COMM_WORLD (or `comm`), starts MPI if need be, and does not return on progress
 * ranks until the job ends; with comex_init_comm it returns COMEX_FAILURE there once the workers have
 * finalized. Init and finalize are idempotent and not counted: a second init keeps the first communicator,
 * and init after finalize starts anew. Finalize is collective over the workers, completes what is
 * outstanding, frees what is still allocated, and leaves MPI running. */
COMEX_API int comex_init(void);
COMEX_API int comex_init_args(int* argc, char*** argv);
COMEX_API int comex_init_comm(MPI_Comm comm); /* the communicator is duplicated; the caller keeps its own */
COMEX_API int comex_finalize(void);
COMEX_API int comex_initialized(void);                 /* 1 between init and finalize, else 0; never fails */
COMEX_API void comex_error(const char* msg, int code); /* prints the message and ends the job; no return */
COMEX_API int comex_set_errors(int mode);  /* COMEX_ERRORS_ABORT or _RETURN, for this process; any time */
COMEX_API int comex_get_errors(int* mode); /* what was set last; any time */
COMEX_API int comex_version(int* major, int* minor, int* patch); /* of the library; any time */
/* What to start MPI with here, asked before: MPI_THREAD_MULTIPLE where a worker may have to serve itself, so
 * that a thread can do it, else MPI_THREAD_SINGLE. Init that starts MPI does so by itself. */
COMEX_API int comex_thread_level(void);

/* -- Groups -------------------------------------------------------------------------------------------------
 * Create is collective over `group`'s members in pid_list (others may call it too and get COMEX_GROUP_NULL):
 * n distinct ranks of `group`, no inter-group, in the order of the new ranks. Who is late is waited for; but
 * after COMEX_MEET_S all fail where lists differ or one was refused, or after as long again where that may
 * have been about another call. Who gave up another list because of others is waited for: a line tells of it
 * once. Free is collective over the group. */
COMEX_API int comex_group_create(int n, int* pid_list, comex_group_t group, comex_group_t* new_group);
COMEX_API int comex_group_free(comex_group_t group);
COMEX_API int comex_group_rank(comex_group_t group, int* rank); /* of COMEX_GROUP_NULL: -1 */
COMEX_API int comex_group_size(comex_group_t group, int* size); /* of that: 0 */
/* The members' communicator, in rank order; it stays the library's and lives as long as the group.
 * Collectives of the program belong here: MPI_COMM_WORLD holds progress ranks, which never enter them. */
COMEX_API int comex_group_comm(comex_group_t group, MPI_Comm* comm);
/* Both arrays hold n >= 0 ranks, the first those of `from`; what `to` does not have becomes MPI_UNDEFINED.
 * Ranks of an inter-group are those of its remote side, as in operations; so is group_rank below, and
 * *world_rank the process's local id.
 */
COMEX_API int comex_group_translate_ranks(int n, comex_group_t from, int* ranks_from, comex_group_t to,
                                          int* ranks_to);
COMEX_API int comex_group_translate_world(comex_group_t group, int group_rank, int* world_rank);
/* The number, from 0, of the (virtual) host that `proc` lives on; ranks of one number share memory, and a
 * pointer to it means the same to all of them. A host on which no address is free in every process gives
 * several numbers. */
COMEX_API int comex_host_of(int proc, comex_group_t group, int* host);

/* -- Completion and order
 * ------------------------------------------------------------------------------------ Towards one target a
 * caller sees its own operations in program order. A write has happened at the target, for everybody, once a
 * fence returned. Third parties may rely on order only through fence, barrier, rmw, put_signal, and unlock
 * after a fence. Wait never implies a fence; a fence completes the caller's non-blocking writes as well. */
COMEX_API int comex_barrier(comex_group_t group); /* collective: fence_all of every member, then meet */
COMEX_API int comex_fence_all(comex_group_t group);
COMEX_API int comex_fence_proc(int proc, comex_group_t group);
COMEX_API int comex_wait_all(comex_group_t group); /* all handles and implicit requests to members */
COMEX_API int comex_wait_proc(int proc, comex_group_t group); /* the same, to one member */
/* Local completion of one request: put and acc sources may be reused, get and rmw results are there. A copy
 * of a handle, or one that is already complete, is done at once; only a value never issued is an error. */
COMEX_API int comex_wait(comex_request_t* handle);
COMEX_API int comex_test(comex_request_t* handle, int* status); /* *status: 0 done, 1 pending */
/* One round of whatever is under way here, MPI included; never waits. For loops of the caller's own around
 * MPI_Test and the like. */
COMEX_API int comex_progress(void);

/* -- Contiguous, `bytes` >= 0; of 0 bytes, addresses may be NULL. Blocking put and acc return when src may be
 * reused, get when dst is filled. src and dst must not overlap. */
COMEX_API int comex_put(void* src, void* dst, int bytes, int proc, comex_group_t group);
COMEX_API int comex_get(void* src, void* dst, int bytes, int proc, comex_group_t group);
/* dst[i] += *scale * src[i], each element atomically among accumulates of one type. `op` is a COMEX_ACC_
 * type; bytes that do not fill an element, of each run in the forms below, are not accumulated. */
COMEX_API int comex_acc(int op, void* scale, void* src, void* dst, int bytes, int proc, comex_group_t group);

/* -- Strided: count[0] is the bytes of one run, count[1..stride_levels] are repetitions (stride_levels + 1
 * entries); src_stride[i] and dst_stride[i] are the bytes between repetitions at level i + 1 (stride_levels
 * entries each, ignored where the count is 1). 0 <= stride_levels <= COMEX_MAX_STRIDE_LEVEL; a count of 0
 * moves nothing. Negative counts and strides are refused: begin at the lowest address of both sides. Written
 * runs of a put or get must not overlap, or are refused, but for patterns of more than 2^36 interleaved runs,
 * which are not checked; sources and accumulated runs may. */
COMEX_API int comex_puts(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int stride_levels, int proc, comex_group_t group);
COMEX_API int comex_gets(void* src, int* src_stride, void* dst, int* dst_stride, int* count,
                         int stride_levels, int proc, comex_group_t group);
COMEX_API int comex_accs(int op, void* scale, void* src, int* src_stride, void* dst, int* dst_stride,
                         int* count, int stride_levels, int proc, comex_group_t group);

/* -- Vector: `len` descriptors, each of darr[i].count pairs of addresses of darr[i].bytes bytes, none of
 * these numbers negative. They may name a place more than once: a put or get leaves one of its values there.
 */
COMEX_API int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group);
COMEX_API int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group);
COMEX_API int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group);

/* -- Non-blocking forms: the same arguments, then a handle that comex_wait or comex_test completes. Sources
 * must stay as they are and results may not be read until then. NULL: an implicit request, completed by
 * wait_proc, wait_all, a fence or a barrier. The number of requests is not limited. */
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

/* -- Read-modify-write of one naturally aligned int or long at `prem`, atomic among rmw calls of all workers;
 * it takes effect after the caller's earlier writes to that target. `op` is one of the codes above, `extra`
 * its operand (sign-extended in the _LONG forms; ignored by swap and compare-and-swap). *ploc receives the
 * old value. COMEX_COMPARE_AND_SWAP stores ploc[1] if *prem == ploc[0]; ploc has two elements, and the swap
 * happened exactly if the value that ploc[0] receives is the expected one. */
COMEX_API int comex_rmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group);
COMEX_API int comex_nbrmw(int op, void* ploc, void* prem, int extra, int proc, comex_group_t group,
                          comex_request_t* handle);

/* -- Signals. put_signal writes `bytes` bytes to dst, then stores `value` to the aligned word `signal`, both
 * in memory of `proc`: whoever sees the value (wait_until) sees the data and all earlier writes of the caller
 * to `proc`. Data that is refused is not signalled, nor is data written for a signal that is refused; of a
 * small one the fence tells. It returns when src may be reused. */
COMEX_API int comex_put_signal(void* src, void* dst, int bytes, long* signal, long value, int proc,
                               comex_group_t group);
/* Returns once the local, aligned `*word` compares (COMEX_CMP_) with `value`, with acquire order; it drives
 * MPI while it waits. A signal wakes it at once, plain stores are seen within COMEX_NAP_MAX_US microseconds.
 */
COMEX_API int comex_wait_until(long* word, int compare, long value);

/* -- Memory. Malloc and free are collective over `group`. ptr_arr has one entry a rank and receives every
 * member's address (valid for loads and stores on the same host); `bytes` may differ by rank, and 0 gives
 * NULL. Memory is aligned to 64 bytes at least and not cleared. Its pages come when they are first touched,
 * so that a large block costs no more than a small one; what the host has no room for is refused all the
 * same, on every rank. */
COMEX_API int comex_malloc(void** ptr_arr, size_t bytes, comex_group_t group);
/* device: NULL (as comex_malloc), or a terminated string: "dram", "hbm" or "numa:N". */
COMEX_API int comex_malloc_mem_dev(void** ptr_arr, size_t bytes, comex_group_t group, const char* device);
/* `ptr` is any member's address of that allocation, or NULL; where one rank names it, all free it. NULL by
 * all succeeds and frees nothing, as after a malloc of 0 bytes by all. The caller's own is the quickest: for
 * another's its owner is asked, and one that hosts use for several allocations is refused. `group` has the
 * members of the group it was allocated over, in any order. Fences first. */
COMEX_API int comex_free(void* ptr, comex_group_t group);
COMEX_API int comex_free_dev(void* ptr, comex_group_t group);
/* Not collective; memory of the caller, remotely usable like any other. NULL for 0 bytes. Without room it
 * returns NULL as well, whatever is chosen for errors, and the program goes on; a line tells of it, once a
 * process. */
COMEX_API void* comex_malloc_local(size_t bytes);
COMEX_API int comex_free_local(void* ptr); /* NULL is allowed */

/* -- Mutexes. Create and destroy are collective over the workers, and come in turn; each worker brings
 * `num` >= 0 mutexes of its own, named by (mutex, proc), proc a rank of COMEX_GROUP_WORLD. Locks are granted
 * in order of arrival, are not recursive, and fence nothing: fence before unlock to publish. Unlock by
 * another than the owner is an error; of endpoints, worlds.h says who that is. */
COMEX_API int comex_create_mutexes(int num);
COMEX_API int comex_destroy_mutexes(void);
COMEX_API int comex_lock(int mutex, int proc);
COMEX_API int comex_trylock(int mutex, int proc,
                            int* acquired); /* never waits; *acquired: 1 locked, 0 busy */
COMEX_API int comex_unlock(int mutex, int proc);

#ifdef __cplusplus
}
#endif

#endif
