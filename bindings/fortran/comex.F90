! comex.F90: the interface of comex.h for Fortran. Programs say `use comex`; docs/fortran.md has the calls in a table.
!
! - Ranks count from 0, as in MPI, and indices of elements from 1. Integers are integer(c_int) unless a call says otherwise.
! - `group` is COMEX_GROUP_WORLD where it is left out.
! - With `stat` a call that fails returns COMEX_FAILURE in it. Without, the job ends. The runtime prints one line either
!   way. `stat` changes the error mode of the process for the time of the call: threads use it one at a time.
! - Data of a call with a request stays as it is until comex_wait or comex_test says that it is complete; it has the
!   attribute `asynchronous`. It is a variable or a section by triplets, which is passed as it is and never copied: what
!   the compiler keeps in a temporary, an expression or a section by a vector of indices, is gone when the call returns.

#define KIND_MODULE comex_of_int32
#define ELEMENT integer(c_int32_t)
#define ELEMENT_KIND 37_c_int
#define ONE 1_c_int32_t
#include "comex_kind.inc"
#define KIND_MODULE comex_of_real64
#define ELEMENT real(c_double)
#define ELEMENT_KIND 38_c_int
#define ONE 1.0_c_double
#include "comex_kind.inc"
#define KIND_MODULE comex_of_real32
#define ELEMENT real(c_float)
#define ELEMENT_KIND 39_c_int
#define ONE 1.0_c_float
#include "comex_kind.inc"
#define KIND_MODULE comex_of_complex32
#define ELEMENT complex(c_float_complex)
#define ELEMENT_KIND 40_c_int
#define ONE (1.0_c_float, 0.0_c_float)
#include "comex_kind.inc"
#define KIND_MODULE comex_of_complex64
#define ELEMENT complex(c_double_complex)
#define ELEMENT_KIND 41_c_int
#define ONE (1.0_c_double, 0.0_c_double)
#include "comex_kind.inc"
#define KIND_MODULE comex_of_int64
#define ELEMENT integer(c_int64_t)
#define ELEMENT_KIND 42_c_int
#define ONE 1_c_int64_t
#include "comex_kind.inc"

! What programs use.
module comex
  use comex_base, only: comex_memory, comex_request, comex_address, comex_wait, comex_test, &
    COMEX_SUCCESS, COMEX_FAILURE, COMEX_PROC_FAILED, COMEX_OWNER_DIED, COMEX_GROUP_WORLD, COMEX_GROUP_NULL, COMEX_GROUP_SELF, &
    COMEX_CMP_EQ, COMEX_CMP_NE, COMEX_CMP_GT, COMEX_CMP_GE, COMEX_CMP_LT, COMEX_CMP_LE
  use comex_calls
  use comex_rmw
  use comex_of_int32
  use comex_of_int64
  use comex_of_real32
  use comex_of_real64
  use comex_of_complex32
  use comex_of_complex64
  implicit none
  public
end module comex
