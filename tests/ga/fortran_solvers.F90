! Linear algebra on distributed matrices: product, LU and Cholesky solutions, inverse, eigenvalues, checked by putting
! the result back into the equation.
#include "ga_test.F90"

program fortran_solvers
  use ga_test
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 60, m = 7
  integer :: a, b, c, x, i, j, info
  double precision :: seen(n, n), vector(n, m), residual, values(n)

  call start()
  call expect_true(ga_create(mt_dbl, n, n, 'a', 0, 0, a), 'creating a')
  call expect_true(ga_duplicate(a, b, 'b'), 'duplicating a')
  call expect_true(ga_duplicate(a, c, 'c'), 'duplicating a again')
  call expect_true(ga_create(mt_dbl, n, m, 'x', 0, 0, x), 'creating x')

  ! product against what each computes
  call general(a)
  call ga_dgemm('n', 't', n, n, n, 1d0, a, a, 0d0, b)
  call ga_get(b, 1, n, 1, n, seen, n)
  do j = 1, n
    do i = 1, n
      call expect_near('an element of a*a^T', seen(i, j), dot_rows(i, j))
    end do
  end do
  call ga_sync()

  ! LU, plain and transposed
  call right_side(x)
  call ga_copy(a, b)
  call ga_lu_solve('n', b, x)
  call check('LU', 'n')
  call right_side(x)
  call ga_copy(a, b)
  call ga_lu_solve('t', b, x)
  call check('LU transposed', 't')

  ! positive definite: Cholesky, solve, inverse
  call definite(a)
  call right_side(x)
  call ga_copy(a, b)
  info = ga_llt_solve(b, x)
  call expect_true(info == 0, 'llt_solve')
  call check('Cholesky', 'n')
  call right_side(x)
  call ga_copy(a, b)
  info = ga_solve(b, x)
  call expect_true(info == 0, 'solve')
  call check('solve', 'n')
  call ga_copy(a, b)
  info = ga_spd_invert(b)
  call expect_true(info == 0, 'spd_invert')
  call ga_symmetrize(b)
  call ga_dgemm('n', 'n', n, n, n, 1d0, a, b, 0d0, c)
  call ga_get(c, 1, n, 1, n, seen, n)
  do j = 1, n
    do i = 1, n
      call expect_near('an element of a * a^-1', seen(i, j), merge(1d0, 0d0, i == j))
    end do
  end do
  call ga_sync()

  ! the matrix with 2 and -1 beside it has known eigenvalues
  call chain(a)
  call ga_diag_std_seq(a, b, values)
  do i = 1, n
    call expect_near('an eigenvalue', values(i), 2 - 2 * cos(i * acos(-1d0) / (n + 1)))
  end do
  call ga_dgemm('n', 'n', n, n, n, 1d0, a, b, 0d0, c)
  call ga_get(c, 1, n, 1, n, seen, n)
  residual = ga_ddot(c, c)
  call expect_near('the norm of a*v', residual, sum(values**2))
  call ga_sync()

  call expect_true(ga_destroy(a) .and. ga_destroy(b) .and. ga_destroy(c) .and. ga_destroy(x), 'destroying')
  call finish('fortran_solvers')

contains
  double precision function general_at(i, j)
    integer, intent(in) :: i, j
    general_at = dble(mod(i * 7 + j * 11, 13)) - 6
    if (i == j) general_at = general_at + 4 * n
  end function general_at

  double precision function dot_rows(i, j)
    integer, intent(in) :: i, j
    integer :: k
    dot_rows = 0
    do k = 1, n
      dot_rows = dot_rows + general_at(i, k) * general_at(j, k)
    end do
  end function dot_rows

  subroutine fill(g, kind)
    integer, intent(in) :: g, kind
    double precision :: column(n)
    integer :: i, j
    do j = 1 + me, n, workers
      do i = 1, n
        select case (kind)
        case (1)
          column(i) = general_at(i, j)
        case (2)
          column(i) = 1d0 / (i + j) + merge(dble(n), 0d0, i == j)
        case default
          column(i) = merge(2d0, merge(-1d0, 0d0, abs(i - j) == 1), i == j)
        end select
      end do
      call ga_put(g, 1, n, j, j, column, n)
    end do
    call ga_sync()
  end subroutine fill
  subroutine general(g)
    integer, intent(in) :: g
    call fill(g, 1)
  end subroutine general
  subroutine definite(g)
    integer, intent(in) :: g
    call fill(g, 2)
  end subroutine definite
  subroutine chain(g)
    integer, intent(in) :: g
    call fill(g, 3)
  end subroutine chain

  subroutine right_side(g)
    integer, intent(in) :: g
    integer :: i, j
    double precision :: column(n)
    do j = 1 + me, m, workers
      do i = 1, n
        column(i) = dble(i) / j
      end do
      call ga_put(g, 1, n, j, j, column, n)
    end do
    call ga_sync()
  end subroutine right_side

  ! a * x is the right side again
  subroutine check(what, form)
    character(len=*), intent(in) :: what, form
    integer :: i, j, product
    call expect_true(ga_duplicate(x, product, 'product'), 'duplicating x')
    call ga_dgemm(form, 'n', n, m, n, 1d0, a, x, 0d0, product)
    call ga_get(product, 1, n, 1, m, vector, n)
    do j = 1, m
      do i = 1, n
        call expect_near(what // ': an element of a*x', vector(i, j), dble(i) / j)
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(product), 'destroying the product')
  end subroutine check
end program fortran_solvers
