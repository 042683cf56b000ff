! Fortran's view: columns first, indices from one. Put, get, acc, gather, scatter, periodic and ghost access, the own
! block through MA's index, three to five dimensions, integers, reals and complex numbers.
#include "ga_test.F90"

program fortran_patches
  use ga_test
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  call start()
  call reals()
  call integers()
  call complexes()
  call by_index()
  call cubes()
  call around()
  call finish('fortran_patches')

contains
  subroutine reals()
    integer, parameter :: n = 50, m = 33
    integer :: g, i, j
    double precision :: column(n), all(n, m)
    call expect_true(ga_create(mt_dbl, n, m, 'reals', 0, 0, g), 'creating reals')
    do j = 1 + me, m, workers
      column = [(1000d0 * j + i, i=1, n)]
      call ga_put(g, 1, n, j, j, column, n)
    end do
    call ga_sync()
    all(1:21, 1:11) = 1d0
    call ga_acc(g, 10, 30, 5, 15, all, n, 0.5d0)
    call ga_sync()
    call ga_get(g, 1, n, 1, m, all, n)
    do j = 1, m
      do i = 1, n
        call expect_near('a real', all(i, j), &
                         1000d0 * j + i + merge(0.5d0 * workers, 0d0, i >= 10 .and. i <= 30 .and. j >= 5 .and. j <= 15))
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying reals')
  end subroutine reals

  subroutine integers()
    integer, parameter :: n = 40, elements = 60
    integer :: g, i, k, rows(elements), columns(elements), values(elements), counter
    call expect_true(ga_create(mt_int, n, n, 'integers', 0, 0, g), 'creating integers')
    call ga_zero(g)
    k = 0
    do i = 1 + me, n, workers
      k = k + 1
      rows(k) = i
      columns(k) = mod(i * 7, n) + 1
      values(k) = 2_8**40 + i
    end do
    call ga_scatter(g, values, rows, columns, k)
    call ga_sync()
    do i = 1, n
      rows(i) = n + 1 - i
      columns(i) = mod(rows(i) * 7, n) + 1
    end do
    call ga_gather(g, values, rows, columns, n)
    do i = 1, n
      call expect_true(values(i) == 2_8**40 + rows(i), 'a gathered integer')
    end do
    call ga_sync()
    do i = 1, 25
      counter = ga_read_inc(g, 3, 3, 2)
    end do
    call ga_sync()
    counter = ga_read_inc(g, 3, 3, 0)
    call expect_near('the counter', dble(counter), 50d0 * workers)
    call expect_true(ga_destroy(g), 'destroying integers')
  end subroutine integers

  subroutine complexes()
    integer, parameter :: n = 24
    integer :: g, i, j
    double complex :: column(n), all(n, n)
    call expect_true(ga_create(mt_dcpl, n, n, 'complex', 0, 0, g), 'creating complex numbers')
    do j = 1 + me, n, workers
      column = [(dcmplx(i, j), i=1, n)]
      call ga_put(g, 1, n, j, j, column, n)
    end do
    call ga_sync()
    all = (1d0, 2d0)
    call ga_acc(g, 1, n, 1, n, all, n, (0d0, 1d0))
    call ga_sync()
    call ga_get(g, 1, n, 1, n, all, n)
    do j = 1, n
      do i = 1, n
        call expect_near('a real part', dble(all(i, j)), dble(i - 2 * workers))
        call expect_near('an imaginary part', dimag(all(i, j)), dble(j + workers))
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying complex numbers')
  end subroutine complexes

  ! the own block: an index into MA's common block
  subroutine by_index()
    integer, parameter :: n = 37, m = 29, row = 18, column = 14
    integer :: g, ilo, ihi, jlo, jhi, i, j, ld, owner
    MA_ACCESS_INDEX_TYPE :: index
    double precision :: all(n, m)
    call expect_true(ga_create(mt_dbl, n, m, 'by index', 0, 0, g), 'creating')
    call ga_distribution(g, me, ilo, ihi, jlo, jhi)
    if (ilo >= 1 .and. ihi >= ilo .and. jhi >= jlo) then
      call ga_access(g, ilo, ihi, jlo, jhi, index, ld)
      do j = jlo, jhi
        do i = ilo, ihi
          dbl_mb(index + (j - jlo) * ld + i - ilo) = 100d0 * i + j
        end do
      end do
      call ga_release_update(g, ilo, ihi, jlo, jhi)
    end if
    call ga_sync()
    call ga_get(g, 1, n, 1, m, all, n)
    do j = 1, m
      do i = 1, n
        call expect_near('an element set by its owner', all(i, j), 100d0 * i + j)
      end do
    end do
    call expect_true(ga_locate(g, row, column, owner), 'locating')
    call ga_distribution(g, owner, ilo, ihi, jlo, jhi)
    call expect_true(row >= ilo .and. row <= ihi .and. column >= jlo .and. column <= jhi, 'the middle''s owner')
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying')
  end subroutine by_index

  subroutine cubes()
    integer :: g, dims(5), chunk(5), lo(5), hi(5), ld(4), i, j, k, l
    double precision :: buffer(6, 5, 4, 3, 2), one
    dims = [6, 5, 4, 3, 2 * workers]
    chunk = 0
    chunk(5) = 2
    one = 1
    call expect_true(nga_create(mt_dbl, 5, dims, 'five', chunk, g), 'creating five dimensions')
    call ga_zero(g)
    ld = [6, 5, 4, 3]
    lo = [1, 1, 1, 1, 2 * me + 1]
    hi = [6, 5, 4, 3, 2 * me + 2]
    buffer = me
    call nga_put(g, lo, hi, buffer, ld)
    call ga_sync()
    lo = [2, 2, 2, 2, 1]
    hi = [4, 5, 3, 3, 2]
    do l = 1, 2
      do k = 1, 2
        do j = 1, 4
          do i = 1, 3
            buffer(i, j, k, l, :) = i + 10 * j + 100 * k + 1000 * l
          end do
        end do
      end do
    end do
    call nga_acc(g, lo, hi, buffer, ld, one)
    call ga_sync()
    buffer = -1
    call nga_get(g, lo, hi, buffer, ld)
    do l = 1, 2
      do k = 1, 2
        do j = 1, 4
          do i = 1, 3
            call expect_near('an element of five dimensions', buffer(i, j, k, l, 2), &
                             dble(workers) * (i + 10 * j + 100 * k + 1000 * l))
          end do
        end do
      end do
    end do
    call expect_near('what lies beside it', buffer(4, 1, 1, 1, 1), -1d0)
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying five dimensions')
  end subroutine cubes

  subroutine around()
    integer, parameter :: n = 30
    integer :: g, dims(2), width(2), chunk(2), lo(2), hi(2), extents(2), ld(1), i, j
    MA_ACCESS_INDEX_TYPE :: index
    double precision :: patch(6, 8)
    dims = n
    width = 1
    chunk = 0
    call expect_true(nga_create_ghosts(mt_dbl, 2, dims, width, 'ghosts', chunk, g), 'creating ghosts')
    call nga_distribution(g, me, lo, hi)
    if (lo(1) >= 1 .and. hi(1) >= lo(1) .and. hi(2) >= lo(2)) then
      call nga_access(g, lo, hi, index, ld)
      do j = lo(2), hi(2)
        do i = lo(1), hi(1)
          dbl_mb(index + (j - lo(2)) * ld(1) + i - lo(1)) = i + 100 * j
        end do
      end do
      call nga_release_update(g, lo, hi)
    end if
    call ga_update_ghosts(g)
    if (lo(1) >= 1 .and. hi(1) >= lo(1) .and. hi(2) >= lo(2)) then
      call nga_access_ghosts(g, extents, index, ld)
      do j = 0, extents(2) - 1
        do i = 0, extents(1) - 1
          call expect_near('a ghost', dbl_mb(index + j * ld(1) + i), &
                           dble(modulo(lo(1) + i - 2, n) + 1 + 100 * (modulo(lo(2) + j - 2, n) + 1)))
        end do
      end do
      call nga_release_ghosts(g)
    end if
    call ga_sync()
    lo = [-2, 26]
    hi = [3, 33]
    ld(1) = 6
    call nga_periodic_get(g, lo, hi, patch, ld)
    do j = 1, 8
      do i = 1, 6
        call expect_near('an element around the edge', patch(i, j), &
                         dble(modulo(i - 4, n) + 1 + 100 * (modulo(25 + j - 1, n) + 1)))
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying ghosts')
  end subroutine around
end program fortran_patches
