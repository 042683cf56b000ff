! Pi as an integral: a shared counter hands out intervals, every worker accumulates what it computed into the array of
! results. The exit status says whether it is pi.
program integral
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: tasks = 100, points = 20000
  integer :: counter, results, one(1), task, i, mine
  integer(4) :: ierr
  double precision :: x, part, pi, all(tasks)

  call mpi_init(ierr)
  call ga_initialize()  ! progress ranks do not come back from here
  if (.not. ma_init(mt_dbl, 65536, 65536)) call ga_error('no memory', 1)
  one = 1
  if (.not. nga_create(mt_int, 1, one, 'counter', one, counter)) call ga_error('no counter', 1)
  if (.not. ga_create(mt_dbl, tasks, 1, 'results', 0, 0, results)) call ga_error('no results', 1)
  call ga_zero(counter)
  call ga_zero(results)

  mine = 0
  do
    task = nga_read_inc(counter, one, 1)
    if (task >= tasks) exit
    part = 0
    do i = 1, points
      x = (task + (i - 0.5d0) / points) / tasks
      part = part + 4 / (1 + x * x)
    end do
    call ga_acc(results, task + 1, task + 1, 1, 1, part, 1, 1d0 / (tasks * points))
    mine = mine + 1
  end do
  call ga_sync()

  call ga_get(results, 1, tasks, 1, 1, all, tasks)
  pi = sum(all)
  call ga_igop(1, mine, 1, '+')
  if (ga_nodeid() == 0) write (*, '(i0," workers, ",i0," tasks, pi = ",f12.10)') ga_nnodes(), mine, pi
  call ga_terminate()
  call mpi_finalize(ierr)
  if (abs(pi - acos(-1d0)) > 1d-9) stop 1
end program integral
