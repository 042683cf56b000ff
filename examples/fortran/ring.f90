! A first program in Fortran: every worker puts a block of a matrix into its right neighbour's, and all add to a sum.
!
!   comexrun -n 3 ring
program ring
  use, intrinsic :: iso_fortran_env
  use mpi_f08, only: MPI_Init, MPI_Finalize
  use comex
  implicit none
  type(comex_memory) :: memory, total
  type(comex_request) :: request
  real(real64), pointer :: mine(:, :)
  integer(int64), pointer :: sum_of_all(:)
  real(real64), asynchronous :: block(3, 4)
  integer :: me, workers, right, left
  logical :: is_right

  call MPI_Init()
  call comex_init()  ! progress ranks stay in here and serve the others
  me = comex_group_rank()
  workers = comex_group_size()
  right = modulo(me + 1, workers)
  left = modulo(me - 1, workers)

  ! Memory on every worker: `mine` is the own part, for ordinary use; the others reach it by rank, row and column.
  call comex_allocate(memory, mine, 10, 20)
  call comex_allocate(total, sum_of_all, merge(1, 0, me == 0))  ! on worker 0 only
  mine = -1
  if (me == 0) sum_of_all = 0
  call comex_barrier()

  block = me
  call comex_put(block, memory, right, [2, 5], request)  ! rows 2 to 4, columns 5 to 8
  call comex_accumulate(int(me, int64), total, 0, 1)
  call comex_wait(request)                               ! now `block` may be changed
  call comex_barrier()                                   ! and now it is there, for everybody

  is_right = all(nint(mine(2:4, 5:8)) == left) .and. count(nint(mine) == -1) == 10*20 - 3*4
  if (me == 0) is_right = is_right .and. sum_of_all(1) == workers*(workers - 1)/2
  write (*, '(a,i0,a,i0,a,i0,a,a)') 'worker ', me, ' of ', workers, ': my left neighbour wrote ', &
    nint(mine(2, 5)), ': ', merge('right', 'WRONG', is_right)

  call comex_free(total)
  call comex_free(memory)
  call comex_finalize()
  call MPI_Finalize()
  if (.not. is_right) error stop 1
end program ring
