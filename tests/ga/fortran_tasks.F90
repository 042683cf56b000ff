! A task queue of matrix blocks in Fortran: tickets by read_inc, non-blocking gets ahead of the work, accumulated
! results, mutexes with fences, processor groups, and who is where.
#include "ga_test.F90"

program fortran_tasks
  use ga_test
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  call start()
  call blocked_product()
  call under_mutexes()
  call in_groups()
  call places()
  call finish('fortran_tasks')

contains
  subroutine blocked_product()
    integer, parameter :: block = 16, blocks = 4, n = block * blocks
    integer :: a, b, c, counter, ticket, i, j, k, handle(2, 2), now, next, lo(2), hi(2), ld(1), one_element(1)
    double precision :: x(block, block, 2), y(block, block, 2), z(block, block), all(n, n), reference(n, n), p(n, n), q(n, n)
    call expect_true(ga_create(mt_dbl, n, n, 'a', block, block, a), 'creating a')
    call expect_true(ga_duplicate(a, b, 'b'), 'duplicating a')
    call expect_true(ga_duplicate(a, c, 'c'), 'duplicating a again')
    one_element = 1
    call expect_true(nga_create(mt_int, 1, one_element, 'counter', one_element, counter), 'creating the counter')
    do j = 1, n
      do i = 1, n
        p(i, j) = mod(i * 3 + j, 7) - 3
        q(i, j) = mod(i + j * 5, 9) - 4
      end do
    end do
    if (me == 0) call ga_put(a, 1, n, 1, n, p, n)
    if (me == workers - 1) call ga_put(b, 1, n, 1, n, q, n)
    call ga_zero(c)
    call ga_zero(counter)
    call ga_sync()
    ld = block
    do
      ticket = nga_read_inc(counter, one_element, 1)
      if (ticket >= blocks * blocks) exit
      i = mod(ticket, blocks)
      j = ticket / blocks
      call fetch(a, block, i, 0, x(:, :, 1), handle(1, 1))
      call fetch(b, block, 0, j, y(:, :, 1), handle(2, 1))
      z = 0
      do k = 0, blocks - 1
        now = mod(k, 2) + 1
        next = 3 - now
        if (k + 1 < blocks) then
          call fetch(a, block, i, k + 1, x(:, :, next), handle(1, next))
          call fetch(b, block, k + 1, j, y(:, :, next), handle(2, next))
        end if
        call ga_nbwait(handle(1, now))
        call ga_nbwait(handle(2, now))
        z = z + matmul(x(:, :, now), y(:, :, now))
      end do
      lo = [i * block + 1, j * block + 1]
      hi = lo + block - 1
      call nga_acc(c, lo, hi, z, ld, 1d0)
    end do
    call ga_sync()
    reference = matmul(p, q)
    call ga_get(c, 1, n, 1, n, all, n)
    do j = 1, n
      do i = 1, n
        call expect_near('an element of the product', all(i, j), reference(i, j))
      end do
    end do
    call ga_sync()
    call expect_true(ga_destroy(a) .and. ga_destroy(b) .and. ga_destroy(c) .and. ga_destroy(counter), 'destroying')
  end subroutine blocked_product

  ! Starts to read block (i,j), counted from zero.
  subroutine fetch(g, block, i, j, buffer, handle)
    integer, intent(in) :: g, block, i, j
    double precision :: buffer(block, block)
    integer :: handle, lo(2), hi(2), ld(1)
    lo = [i * block + 1, j * block + 1]
    hi = lo + block - 1
    ld = block
    call nga_nbget(g, lo, hi, buffer, ld, handle)
  end subroutine fetch

  subroutine under_mutexes()
    integer, parameter :: turns = 20
    integer :: g, turn, values(3), i
    call expect_true(ga_create(mt_int, 3, 1, 'protected', 0, 0, g), 'creating')
    call ga_zero(g)
    call expect_true(ga_create_mutexes(2), 'creating mutexes')
    do turn = 1, turns
      call ga_lock(1)
      call ga_init_fence()
      call ga_get(g, 1, 3, 1, 1, values, 3)
      call expect_true(values(2) == 2 * values(1) .and. values(3) == 3 * values(1), 'what the mutex protects')
      values = values + [(i, i=1, 3)]
      call ga_put(g, 1, 3, 1, 1, values, 3)
      call ga_fence()
      call ga_unlock(1)
    end do
    call ga_sync()
    call ga_get(g, 1, 3, 1, 1, values, 3)
    call expect_near('the last protected number', dble(values(3)), 3d0 * turns * workers)
    call expect_true(ga_destroy_mutexes(), 'destroying mutexes')
    call expect_true(ga_destroy(g), 'destroying')
  end subroutine under_mutexes

  subroutine in_groups()
    integer :: list(workers), count, i, group, g, size, rank, sums(1), values(5)
    count = 0
    do i = mod(me, 2), workers - 1, 2
      count = count + 1
      list(count) = i
    end do
    group = ga_pgroup_create(list, count)
    size = ga_pgroup_nnodes(group)
    rank = ga_pgroup_nodeid(group)
    call expect_true(size == count .and. rank == me / 2, 'size and rank in the group')
    sums = me
    call ga_pgroup_igop(group, 1, sums, 1, '+')
    call expect_near('the sum of the group', dble(sums(1)), dble(sum(list(1:count))))
    call ga_pgroup_set_default(group)
    call expect_true(ga_create(mt_int, 5, size, 'of the group', 5, 1, g), 'creating in the group')
    values = [(1000 * rank + i, i=1, 5)]
    call ga_put(g, 1, 5, rank + 1, rank + 1, values, 5)
    call ga_sync()
    i = mod(rank + 1, size)
    call ga_get(g, 1, 5, i + 1, i + 1, values, 5)
    call expect_near('the neighbour''s number', dble(values(5)), 1000d0 * i + 5)
    call ga_sync()
    call expect_true(ga_destroy(g), 'destroying in the group')
    call ga_pgroup_set_default(ga_pgroup_get_world())
    call ga_sync()
    call expect_true(ga_pgroup_destroy(group), 'destroying the group')
  end subroutine in_groups

  subroutine places()
    integer :: list(workers), host, n, total
    call ga_list_nodeid(list, workers)
    do n = 1, workers
      call expect_near('a listed worker', dble(list(n)), dble(n - 1))
    end do
    total = 0
    do host = 0, ga_cluster_nnodes() - 1
      do n = 0, ga_cluster_nprocs(host) - 1
        call expect_near('a worker''s host', dble(ga_cluster_proc_nodeid(ga_cluster_procid(host, n))), dble(host))
      end do
      total = total + ga_cluster_nprocs(host)
    end do
    call expect_near('the number of workers', dble(total), dble(workers))
    call expect_near('my host', dble(ga_cluster_nodeid()), dble(ga_cluster_proc_nodeid(me)))
  end subroutine places
end program fortran_tasks
