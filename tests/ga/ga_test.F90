! What the Fortran programs here share: start, checks that count, one line of verdict.
module ga_test
  implicit none
  integer :: me = 0, workers = 0, wrong = 0
contains
  subroutine start()
#include "mafdecls.fh"
#include "global.fh"
    integer(4) :: ierr
    call mpi_init(ierr)
    call ga_initialize()
    me = ga_nodeid()
    workers = ga_nnodes()
    if (.not. ma_init(mt_dbl, 1000000, 1000000)) call ga_error('ma_init failed', 1)
  end subroutine start

  subroutine expect(condition, what, seen, expected)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    double precision, intent(in) :: seen, expected
    if (condition) return
    wrong = wrong + 1
    if (wrong <= 5) write (0, '(i0,": ",a," is ",g0," instead of ",g0)') me, what, seen, expected
  end subroutine expect

  subroutine expect_near(what, seen, expected)
    character(len=*), intent(in) :: what
    double precision, intent(in) :: seen, expected
    call expect(abs(seen - expected) <= 1d-9 * max(1d0, abs(expected)), what, seen, expected)
  end subroutine expect_near

  subroutine expect_true(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    call expect(condition, what, 0d0, 1d0)
  end subroutine expect_true

  subroutine finish(name)
    character(len=*), intent(in) :: name
    integer :: all_wrong
    integer(4) :: ierr
    all_wrong = wrong
    call ga_igop(99, all_wrong, 1, '+')
    if (me == 0 .and. all_wrong == 0) write (*, '(a)') name // ': ok'
    if (me == 0 .and. all_wrong /= 0) write (*, '(a,i0,a)') name // ': ', all_wrong, ' checks failed'
    flush (6)
    call ga_terminate()
    call mpi_finalize(ierr)
    if (all_wrong /= 0) stop 1
  end subroutine finish
end module ga_test
