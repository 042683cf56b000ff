/* Names every function of comex.h and extended.h through a pointer of its exact type, and every value.
 * Compiled as C99 and, by every_function.cpp, as C++20; linked to both libraries. It runs without a launcher.
 */
#include <comex.h>
#include <comex/comex.h>
#include <stdio.h>

#ifdef __cplusplus
#define HOLDS(condition) static_assert(condition, #condition)
#else
#define HOLDS_JOIN_(a, b) a##b
#define HOLDS_JOIN(a, b) HOLDS_JOIN_(a, b)
#define HOLDS(condition) typedef char HOLDS_JOIN(holds_, __LINE__)[(condition) ? 1 : -1]
#endif

HOLDS(COMEX_SUCCESS == 0 && COMEX_FAILURE == 1);
HOLDS(COMEX_GROUP_WORLD == 0 && COMEX_GROUP_NULL == -1);
HOLDS(COMEX_MAX_STRIDE_LEVEL == 8);
HOLDS(COMEX_SWAP == 10 && COMEX_SWAP_LONG == 11);
HOLDS(COMEX_FETCH_AND_ADD == 12 && COMEX_FETCH_AND_ADD_LONG == 13);
HOLDS(COMEX_COMPARE_AND_SWAP == 14 && COMEX_COMPARE_AND_SWAP_LONG == 15);
HOLDS(COMEX_FETCH_AND_AND == 16 && COMEX_FETCH_AND_AND_LONG == 17);
HOLDS(COMEX_FETCH_AND_OR == 18 && COMEX_FETCH_AND_OR_LONG == 19);
HOLDS(COMEX_FETCH_AND_XOR == 20 && COMEX_FETCH_AND_XOR_LONG == 21);
HOLDS(COMEX_ACC_OFF == 36 && COMEX_ACC_INT == 37 && COMEX_ACC_DBL == 38 && COMEX_ACC_FLT == 39);
HOLDS(COMEX_ACC_CPL == 40 && COMEX_ACC_DCP == 41 && COMEX_ACC_LNG == 42);
HOLDS(COMEX_ATOMIC_SET == 50 && COMEX_ATOMIC_FETCH == 51 && COMEX_ATOMIC_SWAP == 52);
HOLDS(COMEX_ATOMIC_COMPARE_AND_SWAP == 53 && COMEX_ATOMIC_ADD == 54 && COMEX_ATOMIC_MIN == 55);
HOLDS(COMEX_ATOMIC_MAX == 56 && COMEX_ATOMIC_AND == 57 && COMEX_ATOMIC_OR == 58 && COMEX_ATOMIC_XOR == 59);
HOLDS(COMEX_TYPE_INT32 == 70 && COMEX_TYPE_INT64 == 71 && COMEX_TYPE_UINT32 == 72);
HOLDS(COMEX_TYPE_UINT64 == 73 && COMEX_TYPE_FLOAT == 74 && COMEX_TYPE_DOUBLE == 75);
HOLDS(COMEX_OP_SUM == 90 && COMEX_OP_MIN == 91 && COMEX_OP_MAX == 92 && COMEX_OP_PROD == 93);
HOLDS(COMEX_OP_REPLACE == 94 && COMEX_OP_AND == 95 && COMEX_OP_OR == 96 && COMEX_OP_XOR == 97);
HOLDS(COMEX_CMP_EQ == 0 && COMEX_CMP_NE == 1 && COMEX_CMP_GT == 2);
HOLDS(COMEX_CMP_GE == 3 && COMEX_CMP_LT == 4 && COMEX_CMP_LE == 5);
HOLDS(COMEX_ERRORS_ABORT == 0 && COMEX_ERRORS_RETURN == 1);
HOLDS(sizeof(comex_group_t) == sizeof(int) && sizeof(comex_request_t) == sizeof(int));
HOLDS(offsetof(comex_giov_t, src) == 0 && offsetof(comex_giov_t, dst) == sizeof(void*));
HOLDS(offsetof(comex_giov_t, count) == 2 * sizeof(void*));
HOLDS(offsetof(comex_giov_t, bytes) == 2 * sizeof(void*) + sizeof(int));

HOLDS(offsetof(comex_giov_x_t, src) == 0 && offsetof(comex_giov_x_t, dst) == sizeof(void*));
HOLDS(offsetof(comex_giov_x_t, count) == 2 * sizeof(void*));
HOLDS(offsetof(comex_giov_x_t, bytes) == 2 * sizeof(void*) + sizeof(size_t));

typedef int (*nothing_f)(void);
typedef int (*group_f)(comex_group_t);
typedef int (*proc_group_f)(int, comex_group_t);
typedef int (*out_f)(comex_group_t, int*);
typedef int (*copy_f)(void*, void*, int, int, comex_group_t);
typedef int (*nb_copy_f)(void*, void*, int, int, comex_group_t, comex_request_t*);
typedef int (*strided_f)(void*, int*, void*, int*, int*, int, int, comex_group_t);
typedef int (*nb_strided_f)(void*, int*, void*, int*, int*, int, int, comex_group_t, comex_request_t*);
typedef int (*vector_f)(comex_giov_t*, int, int, comex_group_t);
typedef int (*nb_vector_f)(comex_giov_t*, int, int, comex_group_t, comex_request_t*);
typedef int (*acc_f)(int, void*, void*, void*, int, int, comex_group_t);
typedef int (*nb_acc_f)(int, void*, void*, void*, int, int, comex_group_t, comex_request_t*);
typedef int (*accs_f)(int, void*, void*, int*, void*, int*, int*, int, int, comex_group_t);
typedef int (*nb_accs_f)(int, void*, void*, int*, void*, int*, int*, int, int, comex_group_t,
                         comex_request_t*);
typedef int (*accv_f)(int, void*, comex_giov_t*, int, int, comex_group_t);
typedef int (*nb_accv_f)(int, void*, comex_giov_t*, int, int, comex_group_t, comex_request_t*);
typedef int (*rmw_f)(int, void*, void*, int, int, comex_group_t);
typedef int (*nb_rmw_f)(int, void*, void*, int, int, comex_group_t, comex_request_t*);

/* Of extended.h. */
#define CONTIGUOUS const void*, void*, size_t
#define STRIDED const void*, const ptrdiff_t*, void*, const ptrdiff_t*, const size_t*, int
#define VECTOR const comex_giov_x_t*, size_t
#define TO int, comex_group_t
#define BEGUN int, comex_group_t, comex_request_t*
#define SIGNAL CONTIGUOUS, long*, long
#define WORDS long*, size_t, const int*, int, long
typedef int (*copy_x_f)(CONTIGUOUS, TO);
typedef int (*nb_copy_x_f)(CONTIGUOUS, BEGUN);
typedef int (*strided_x_f)(STRIDED, TO);
typedef int (*nb_strided_x_f)(STRIDED, BEGUN);
typedef int (*vector_x_f)(VECTOR, TO);
typedef int (*nb_vector_x_f)(VECTOR, BEGUN);

/* One structure of pointers, so that the linker has to find every name. */
static const struct {
  nothing_f nothing[6];
  int (*init_args)(int*, char***);
  int (*init_comm)(MPI_Comm);
  void (*error)(const char*, int);
  int (*set_errors)(int);
  int (*get_errors)(int*);
  int (*version)(int*, int*, int*);
  int (*group_create)(int, int*, comex_group_t, comex_group_t*);
  group_f groups[4];
  out_f outs[2];
  int (*group_comm)(comex_group_t, MPI_Comm*);
  int (*translate_ranks)(int, comex_group_t, int*, comex_group_t, int*);
  int (*translate_world)(comex_group_t, int, int*);
  int (*host_of)(int, comex_group_t, int*);
  proc_group_f procs[2];
  copy_f copies[2];
  nb_copy_f nb_copies[2];
  strided_f strided[2];
  nb_strided_f nb_strided[2];
  vector_f vectors[2];
  nb_vector_f nb_vectors[2];
  acc_f acc;
  nb_acc_f nb_acc;
  accs_f accs;
  nb_accs_f nb_accs;
  accv_f accv;
  nb_accv_f nb_accv;
  rmw_f rmw;
  nb_rmw_f nb_rmw;
  int (*put_signal)(void*, void*, int, long*, long, int, comex_group_t);
  int (*wait_until)(long*, int, long);
  int (*allocate)(void**, size_t, comex_group_t);
  int (*allocate_dev)(void**, size_t, comex_group_t, const char*);
  int (*release[2])(void*, comex_group_t);
  void* (*allocate_local)(size_t);
  int (*release_local)(void*);
  int (*create_mutexes)(int);
  int (*mutexes[2])(int, int);
  int (*try_lock)(int, int, int*);
  int (*wait)(comex_request_t*);
  int (*test)(comex_request_t*, int*);
  int (*atomic)(int, int, void*, const void*, const void*, void*, TO);
  int (*nb_atomic)(int, int, void*, const void*, const void*, void*, BEGUN);
  int (*acc_op)(int, int, CONTIGUOUS, TO);
  int (*nb_acc_op)(int, int, CONTIGUOUS, BEGUN);
  int (*accs_op)(int, int, STRIDED, TO);
  int (*nb_accs_op)(int, int, STRIDED, BEGUN);
  int (*accv_op)(int, int, VECTOR, TO);
  int (*nb_accv_op)(int, int, VECTOR, BEGUN);
  copy_x_f copies_x[2];
  nb_copy_x_f nb_copies_x[2];
  strided_x_f strided_x[2];
  nb_strided_x_f nb_strided_x[2];
  vector_x_f vectors_x[2];
  nb_vector_x_f nb_vectors_x[2];
  int (*acc_x)(int, const void*, CONTIGUOUS, TO);
  int (*nb_acc_x)(int, const void*, CONTIGUOUS, BEGUN);
  int (*accs_x)(int, const void*, STRIDED, TO);
  int (*nb_accs_x)(int, const void*, STRIDED, BEGUN);
  int (*accv_x)(int, const void*, VECTOR, TO);
  int (*nb_accv_x)(int, const void*, VECTOR, BEGUN);
  int (*put_signals_x[2])(SIGNAL, TO);
  int (*nb_put_signals[2])(SIGNAL, BEGUN);
  int (*wait_until_all)(WORDS);
  int (*wait_until_any)(WORDS, size_t*);
  int (*wait_until_some)(WORDS, size_t*, size_t*);
  int (*nb_fence)(BEGUN);
  int (*fence_allocation)(void*, comex_group_t);
  int (*failed)(comex_group_t, int*, int*);
  const char* (*error_text)(void);
  int (*group_shrink)(comex_group_t, comex_group_t*);
  int (*malloc_kept)(void**, size_t, int, comex_group_t);
  int (*keep)(void*);
  int (*recover)(void*, comex_group_t, void**, int*);
  int (*access_begin)(const void*, size_t, int);
  int (*access_end)(const void*);
} all = {
    {comex_init, comex_finalize, comex_initialized, comex_destroy_mutexes, comex_progress,
     comex_thread_level},
    comex_init_args,
    comex_init_comm,
    comex_error,
    comex_set_errors,
    comex_get_errors,
    comex_version,
    comex_group_create,
    {comex_group_free, comex_barrier, comex_fence_all, comex_wait_all},
    {comex_group_rank, comex_group_size},
    comex_group_comm,
    comex_group_translate_ranks,
    comex_group_translate_world,
    comex_host_of,
    {comex_fence_proc, comex_wait_proc},
    {comex_put, comex_get},
    {comex_nbput, comex_nbget},
    {comex_puts, comex_gets},
    {comex_nbputs, comex_nbgets},
    {comex_putv, comex_getv},
    {comex_nbputv, comex_nbgetv},
    comex_acc,
    comex_nbacc,
    comex_accs,
    comex_nbaccs,
    comex_accv,
    comex_nbaccv,
    comex_rmw,
    comex_nbrmw,
    comex_put_signal,
    comex_wait_until,
    comex_malloc,
    comex_malloc_mem_dev,
    {comex_free, comex_free_dev},
    comex_malloc_local,
    comex_free_local,
    comex_create_mutexes,
    {comex_lock, comex_unlock},
    comex_trylock,
    comex_wait,
    comex_test,
    comex_atomic,
    comex_nbatomic,
    comex_acc_op,
    comex_nbacc_op,
    comex_accs_op,
    comex_nbaccs_op,
    comex_accv_op,
    comex_nbaccv_op,
    {comex_put_x, comex_get_x},
    {comex_nbput_x, comex_nbget_x},
    {comex_puts_x, comex_gets_x},
    {comex_nbputs_x, comex_nbgets_x},
    {comex_putv_x, comex_getv_x},
    {comex_nbputv_x, comex_nbgetv_x},
    comex_acc_x,
    comex_nbacc_x,
    comex_accs_x,
    comex_nbaccs_x,
    comex_accv_x,
    comex_nbaccv_x,
    {comex_put_signal_x, comex_put_signal_add},
    {comex_nbput_signal, comex_nbput_signal_add},
    comex_wait_until_all,
    comex_wait_until_any,
    comex_wait_until_some,
    comex_nbfence,
    comex_fence_allocation,
    comex_failed,
    comex_error_text,
    comex_group_shrink,
    comex_malloc_kept,
    comex_keep,
    comex_recover,
    comex_access_begin,
    comex_access_end,
};

int main(void) {
  int major = -1, minor = -1, patch = -1;
  if (all.version(&major, &minor, &patch) != COMEX_SUCCESS || major != COMEX_VERSION_MAJOR ||
      minor != COMEX_VERSION_MINOR || patch != COMEX_VERSION_PATCH) {
    printf("library %d.%d.%d, header %d.%d.%d\n", major, minor, patch, COMEX_VERSION_MAJOR,
           COMEX_VERSION_MINOR, COMEX_VERSION_PATCH);
    return 1;
  }
  if (all.nothing[2]() != 0) {
    printf("comex_initialized is not 0 before init\n");
    return 1;
  }
  return 0;
}
