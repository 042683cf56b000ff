/*
 * extended.h: calls that the classic interface lacks; comex.h includes it and states the conventions.
 *
 * In all of them inputs are const, and the arrays and words that they point to may be reused when a call
 * returns, also when it is non-blocking. Sources of data and places of results belong to the call until it is
 * complete, as in comex.h.
 */
#ifndef COMEX_EXTENDED_H_
#define COMEX_EXTENDED_H_

#include <comex/comex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- Atomic operations on one word --
 * old is the word before; v is *operand. */
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
 * at `compare`. It swapped exactly if *fetched receives the bits of *compare: a NaN can be expected, and
 * zeros of both signs differ. MIN and MAX of reals take the number where one of both is a NaN; where both
 * compare as equal, as zeros of both signs do, the word stays as it is.
 * comex_atomic returns when the word has been changed. comex_nbatomic is complete, by its handle or as an
 * implicit request, when it has been changed and *fetched is there. */
COMEX_API int comex_atomic(int op, int type, void* fetched, const void* operand, const void* compare,
                           void* target, int proc, comex_group_t group);
COMEX_API int comex_nbatomic(int op, int type, void* fetched, const void* operand, const void* compare,
                             void* target, int proc, comex_group_t group, comex_request_t* handle);

#ifdef __cplusplus
}
#endif

#endif
