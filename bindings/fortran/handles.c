/* What Fortran cannot say by itself: MPI's communicators, lines on stderr, and which of six calls moves a
 * patch. */
#include <comex/comex.h>
#include <comex/worlds.h>
#include <stdio.h>

enum { put = 1, get = 2, accumulate = 3 }; /* as in comex_base.f90 */

/* The numbers that comex_base.f90 and comex.F90 have, since Fortran cannot read the header. */
#define SAME(name, number) \
  _Static_assert((name) == (number), #name " is another number in the Fortran module")
SAME(COMEX_SUCCESS, 0);
SAME(COMEX_FAILURE, 1);
SAME(COMEX_PROC_FAILED, 2);
SAME(COMEX_OWNER_DIED, 3);
SAME(COMEX_ERRORS_RETURN, 1);
SAME(COMEX_GROUP_WORLD, 0);
SAME(COMEX_GROUP_NULL, -1);
SAME(COMEX_GROUP_SELF, -2);
SAME(COMEX_CMP_EQ, 0);
SAME(COMEX_CMP_NE, 1);
SAME(COMEX_CMP_GT, 2);
SAME(COMEX_CMP_GE, 3);
SAME(COMEX_CMP_LT, 4);
SAME(COMEX_CMP_LE, 5);
SAME(COMEX_SWAP, 10);
SAME(COMEX_SWAP_LONG, 11);
SAME(COMEX_FETCH_AND_ADD, 12);
SAME(COMEX_FETCH_AND_ADD_LONG, 13);
SAME(COMEX_COMPARE_AND_SWAP, 14);
SAME(COMEX_COMPARE_AND_SWAP_LONG, 15);
SAME(COMEX_ACC_INT, 37);
SAME(COMEX_ACC_DBL, 38);
SAME(COMEX_ACC_FLT, 39);
SAME(COMEX_ACC_CPL, 40);
SAME(COMEX_ACC_DCP, 41);
SAME(COMEX_ACC_LNG, 42);

int comex_fortran_comm(int group, int* comm) {
  MPI_Comm found;
  int code = comex_group_comm(group, &found);
  if (code == COMEX_SUCCESS) *comm = (int)MPI_Comm_c2f(found);
  return code;
}

int comex_fortran_init_comm(int comm) {
  return comex_init_comm(MPI_Comm_f2c((MPI_Fint)comm));
}

/* A call that has nothing to do serves others all the same. */
void comex_fortran_serve(void) {
  comex_initialized();
}

void comex_fortran_note(const char* text) {
  int me = -1;
  if (comex_initialized()) comex_group_rank(COMEX_GROUP_WORLD, &me);
  fprintf(stderr, "comex: worker %d: %s\n", me, text);
}

int comex_fortran_move(int what, int kind, void* scale, void* near, int* near_stride, void* far,
                       int* far_stride, int* counts, int levels, int proc, int group, int* request) {
  switch (what) {
    case put:
      if (request == NULL) return comex_puts(near, near_stride, far, far_stride, counts, levels, proc, group);
      return comex_nbputs(near, near_stride, far, far_stride, counts, levels, proc, group, request);
    case get:
      if (request == NULL) return comex_gets(far, far_stride, near, near_stride, counts, levels, proc, group);
      return comex_nbgets(far, far_stride, near, near_stride, counts, levels, proc, group, request);
    default:
      if (request == NULL)
        return comex_accs(kind, scale, near, near_stride, far, far_stride, counts, levels, proc, group);
      return comex_nbaccs(kind, scale, near, near_stride, far, far_stride, counts, levels, proc, group,
                          request);
  }
}
