/*
 * extended.h: calls that the classic interface lacks; comex.h includes it and states the conventions.
 *
 * In all of them inputs are const, and the arrays and words that they point to may be reused when a call
 * returns, also when it is non-blocking. Sources of data and places of results belong to the call until it is
 * complete, as in comex.h.
 */
#ifndef COMEX_EXTENDED_H_
#define COMEX_EXTENDED_H_

#include "comex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- Atomic operations on one word --
 * old: the value before; v: the operand. */
#define COMEX_ATOMIC_SET 50              /* v; no reader sees a part of it */
#define COMEX_ATOMIC_FETCH 51            /* old; `operand` is not looked at */
#define COMEX_ATOMIC_SWAP 52             /* v */
#define COMEX_ATOMIC_COMPARE_AND_SWAP 53 /* v if the bits of old are those of *compare, else old */
#define COMEX_ATOMIC_ADD 54              /* old + v; integers wrap */
#define COMEX_ATOMIC_MIN 55              /* the lesser of both */
#define COMEX_ATOMIC_MAX 56              /* the greater of both */
#define COMEX_ATOMIC_AND 57              /* bits; AND, OR and XOR are for integers only */
#define COMEX_ATOMIC_OR 58
#define COMEX_ATOMIC_XOR 59

/* The type of the word, and of *fetched, *operand and *compare. */
#define COMEX_TYPE_INT32 70
#define COMEX_TYPE_INT64 71
#define COMEX_TYPE_UINT32 72
#define COMEX_TYPE_UINT64 73
#define COMEX_TYPE_FLOAT 74
#define COMEX_TYPE_DOUBLE 75

/* Changes one naturally aligned word of 4 or 8 bytes at `target` of `proc`. It is atomic among atomic and rmw
 * calls of all workers on the same word in the same width, and takes effect after the caller's earlier writes
 * to `proc`. *fetched receives old; it may be NULL, except with FETCH and SWAP. Only COMPARE_AND_SWAP looks
 * at `compare`. It swapped exactly if *fetched receives the bits of *compare. Compares bits, so NaN matches
 * NaN, and zeros of both signs differ. MIN and MAX of reals take the number where one of both is a NaN; where
 * both compare as equal, as zeros of both signs do, the word stays as it is. comex_atomic returns when the
 * word has been changed. comex_nbatomic is complete, by its handle or as an implicit request, when it has
 * been changed and *fetched is there. */
COMEX_API int comex_atomic(int op, int type, void* fetched, const void* operand, const void* compare,
                           void* target, int proc, comex_group_t group);
COMEX_API int comex_nbatomic(int op, int type, void* fetched, const void* operand, const void* compare,
                             void* target, int proc, comex_group_t group, comex_request_t* handle);

/* -- Accumulates with other operations than the sum --
 * What each element of dst becomes, from itself and that of src. `type` is a COMEX_ACC_ type of comex.h. */
#define COMEX_OP_SUM 90 /* as acc with a scale of 1 */
#define COMEX_OP_MIN 91 /* the lesser, as COMEX_ATOMIC_MIN; not of complex numbers */
#define COMEX_OP_MAX 92
#define COMEX_OP_PROD 93
#define COMEX_OP_REPLACE 94 /* that of src: a put that is atomic for each element */
#define COMEX_OP_AND 95     /* bits; AND, OR and XOR are for COMEX_ACC_INT and COMEX_ACC_LNG only */
#define COMEX_OP_OR 96
#define COMEX_OP_XOR 97

/* As comex_giov_t. */
typedef struct {
  void** src;
  void** dst;
  size_t count;
  size_t bytes;
} comex_giov_x_t;

/* There is no scale. In all else they are as the accumulates of comex.h: each element is updated atomically
 * among accumulates of one type, with whatever operations. */
COMEX_API int comex_acc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc,
                           comex_group_t group);
COMEX_API int comex_accs_op(int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                            const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                            comex_group_t group);
COMEX_API int comex_accv_op(int op, int type, const comex_giov_x_t* darr, size_t len, int proc,
                            comex_group_t group);
COMEX_API int comex_nbacc_op(int op, int type, const void* src, void* dst, size_t bytes, int proc,
                             comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbaccs_op(int op, int type, const void* src, const ptrdiff_t* src_stride, void* dst,
                              const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                              comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbaccv_op(int op, int type, const comex_giov_x_t* darr, size_t len, int proc,
                              comex_group_t group, comex_request_t* handle);

/* -- Transfers of any size --
 * As the calls of comex.h of the same name without _x, with sizes, counts and strides as wide as addresses:
 * one call moves more than 2 GiB. A size above PTRDIFF_MAX is refused. */
COMEX_API int comex_put_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group);
COMEX_API int comex_get_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group);
COMEX_API int comex_acc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                          comex_group_t group);
COMEX_API int comex_puts_x(const void* src, const ptrdiff_t* src_stride, void* dst,
                           const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                           comex_group_t group);
COMEX_API int comex_gets_x(const void* src, const ptrdiff_t* src_stride, void* dst,
                           const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                           comex_group_t group);
COMEX_API int comex_accs_x(int type, const void* scale, const void* src, const ptrdiff_t* src_stride,
                           void* dst, const ptrdiff_t* dst_stride, const size_t* count, int stride_levels,
                           int proc, comex_group_t group);
COMEX_API int comex_putv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group);
COMEX_API int comex_getv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group);
COMEX_API int comex_accv_x(int type, const void* scale, const comex_giov_x_t* darr, size_t len, int proc,
                           comex_group_t group);
COMEX_API int comex_nbput_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                            comex_request_t* handle);
COMEX_API int comex_nbget_x(const void* src, void* dst, size_t bytes, int proc, comex_group_t group,
                            comex_request_t* handle);
COMEX_API int comex_nbacc_x(int type, const void* scale, const void* src, void* dst, size_t bytes, int proc,
                            comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbputs_x(const void* src, const ptrdiff_t* src_stride, void* dst,
                             const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                             comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbgets_x(const void* src, const ptrdiff_t* src_stride, void* dst,
                             const ptrdiff_t* dst_stride, const size_t* count, int stride_levels, int proc,
                             comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbaccs_x(int type, const void* scale, const void* src, const ptrdiff_t* src_stride,
                             void* dst, const ptrdiff_t* dst_stride, const size_t* count, int stride_levels,
                             int proc, comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbputv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group,
                             comex_request_t* handle);
COMEX_API int comex_nbgetv_x(const comex_giov_x_t* darr, size_t len, int proc, comex_group_t group,
                             comex_request_t* handle);
COMEX_API int comex_nbaccv_x(int type, const void* scale, const comex_giov_x_t* darr, size_t len, int proc,
                             comex_group_t group, comex_request_t* handle);

/* -- Signals --
 * As comex_put_signal, with sizes as wide as addresses. The _add forms add `value` to the word instead of
 * storing it, atomically among atomic and rmw calls on words of 8 bytes. The non-blocking ones are complete
 * when src may be reused; the data and the signal are on their way when the call returns. What waits behind
 * earlier large data, or is itself more than MPI sends at once (COMEX_EAGER_THRESHOLD), goes on in later
 * calls of the sender. */
COMEX_API int comex_put_signal_x(const void* src, void* dst, size_t bytes, long* signal, long value, int proc,
                                 comex_group_t group);
COMEX_API int comex_put_signal_add(const void* src, void* dst, size_t bytes, long* signal, long value,
                                   int proc, comex_group_t group);
COMEX_API int comex_nbput_signal(const void* src, void* dst, size_t bytes, long* signal, long value, int proc,
                                 comex_group_t group, comex_request_t* handle);
COMEX_API int comex_nbput_signal_add(const void* src, void* dst, size_t bytes, long* signal, long value,
                                     int proc, comex_group_t group, comex_request_t* handle);
/* As comex_wait_until, for `count` words in a row. Those whose entry in `skip` is not 0 are left out; a NULL
 * `skip` leaves none out. _all returns once every one has compared, not all at one moment. _any returns once
 * one compares, and *index is the lowest such one. _some returns once one compares, and stores the numbers of
 * all that do in indices[0 .. *found - 1]; `indices` has room for `count`. Where no word is left to wait for,
 * the calls return at once, *index is `count`, and *found is 0. */
COMEX_API int comex_wait_until_all(long* words, size_t count, const int* skip, int compare, long value);
COMEX_API int comex_wait_until_any(long* words, size_t count, const int* skip, int compare, long value,
                                   size_t* index);
COMEX_API int comex_wait_until_some(long* words, size_t count, const int* skip, int compare, long value,
                                    size_t* indices, size_t* found);

/* -- Fences of other kinds --
 * nbfence is complete, by its handle or as an implicit request, when all earlier writes of the caller to
 * `proc` are there for everybody. Writes that were refused are told by the next fence or barrier that blocks.
 */
COMEX_API int comex_nbfence(int proc, comex_group_t group, comex_request_t* handle);
/* Returns when all earlier writes of the caller to the parts of one allocation are there for everybody. `ptr`
 * is the caller's own address of the allocation, or NULL where its part has 0 bytes; `group` has the members
 * of the group of the malloc. Only members to which something is under way are asked. */
COMEX_API int comex_fence_allocation(void* ptr, comex_group_t group);

/* -- Telling of plain loads and stores --
 * For the checker of races (docs/checking.md), which sees calls but no loads and stores. Between begin and
 * end the caller reads, or reads and writes, `bytes` bytes at `ptr` of its own memory. Accesses may overlap
 * and nest; end names the address of one that has begun, the latest if there are several. Without the checker
 * both calls do nothing but to look at the arguments of begin. They take part in no order. */
#define COMEX_ACCESS_READ 1
#define COMEX_ACCESS_WRITE 2
COMEX_API int comex_access_begin(const void* ptr, size_t bytes, int access);
COMEX_API int comex_access_end(const void* ptr);

/* -- Going on without dead workers, with COMEX_ON_FAILURE=continue --
 * Collective calls over a group of which a member has died return COMEX_PROC_FAILED on all others, without a
 * line, also where they wait already. Those that had begun may have succeeded on some. Free and group_free
 * return it too, and free the caller's part, which free knows by the caller's own address only: call them
 * when no other survivor uses it any more, such as after a barrier of a shrunk group. Operations on the dead
 * worker's memory go on. */
#define COMEX_PROC_FAILED 2
/* lock, and trylock with *acquired 1: the caller holds the mutex, which it took over from a worker that died
 * with it. What the mutex guards may be half updated. */
#define COMEX_OWNER_DIED 3
/*
 * Local. *n is how many members of `group` are known to have died so far, and ranks[0 .. *n - 1] are their
 * ranks, ascending. `ranks` has room for the whole group, or is NULL. A death is known to all within about
 * 0.1 s. */
COMEX_API int comex_failed(comex_group_t group, int* n, int* ranks);
/* Collective over the living members of `group`, which is no inter-group. *smaller is a group of them, in the
 * same order; all have the same one. It returns when all have called it, however long one computes before
 * that; COMEX_TIMEOUT_S alone ends the wait. If a member dies during the call, the others make a smaller one
 * still, or have one whose first collective returns COMEX_PROC_FAILED; shrinking that again meets those who
 * are still in this call. If one dies while MPI makes the group's communicator, others whom MPI keeps waiting
 * end with a line, after COMEX_MEET_S or half of COMEX_TIMEOUT_S, whichever is less. */
COMEX_API int comex_group_shrink(comex_group_t group, comex_group_t* smaller);

/* -- Memory that outlives the loss of a host --
 * As comex_malloc, with `copies` (1 to 7) mirrors of each member's part, each on another host. Part r is what
 * rank r allocates here. The group is of one world, has processes as members and more hosts than copies, and
 * every host has a progress rank. What puts, accumulates, atomics and signals write to a part as their target
 * is in its mirrors once a fence or barrier of the writer has covered it; that an atomic has returned does
 * not mean that. What the owner stores itself is there after keep. comex_free frees it. */
COMEX_API int comex_malloc_kept(void** ptr_arr, size_t bytes, int copies, comex_group_t group);
/* Local. Returns when all bytes of the caller's part at `ptr` are in its mirrors. */
COMEX_API int comex_keep(void* ptr);
/* Collective over `survivors`, which has no dead member; it may have new ones. The memory is made anew over
 * it: ptr_arr[r] is the address of part r from here on and homes[r] the rank in `survivors` whose memory has
 * it, for all parts. What a member of `survivors` had stays with it, with all bytes. Every other part gets a
 * home among the members with the fewest parts, with the bytes of a mirror. Each part has as many mirrors
 * again as there are hosts for. `ptr` is the first part that the caller had, by number; NULL if it had none.
 * The old addresses are freed. It fails if a part has no member and no mirror left, or no survivor had a
 * part. If a member dies meanwhile it returns COMEX_PROC_FAILED: shrink the group, and call it again with the
 * same `ptr`, or the new one on members where it has succeeded. free and recover take the first part of a
 * member for all of them; keep takes each by its own address. */
COMEX_API int comex_recover(void* ptr, comex_group_t survivors, void** ptr_arr, int* homes);

/* -- The text of a failure -- */
/* Local, at any time. The line that this process has printed about the last call of the calling thread that
 * failed with COMEX_ERRORS_RETURN, without its end; "" if there is none. A line is handed out once, and stays
 * until the thread calls this again. What another process found wrong, of a small write to its host for
 * instance, it has printed itself. */
COMEX_API const char* comex_error_text(void);

#ifdef __cplusplus
}
#endif

#endif
