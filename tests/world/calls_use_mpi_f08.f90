! Knows the mpi_f08 module and MPI_COMM_WORLD; ierror is left out, as that module allows. The first argument is the
! number of ranks that must be found.
program calls_use_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  implicit none
  interface
    function getpid() bind(c)
      import :: c_int
      integer(c_int) :: getpid
    end function
  end interface
  integer :: rank, nranks, expected, got, next, before, total, members, length, remote, ierr, i
  integer :: everybody(64)
  integer(kind=MPI_ADDRESS_KIND) :: attribute
  integer(kind=MPI_OFFSET_KIND) :: bytes
  logical :: found
  type(MPI_Comm) :: copy, half, grid, both
  type(MPI_Group) :: group
  type(MPI_File) :: file
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  character(len=32) :: argument
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
  call check(ierr == MPI_SUCCESS, 'ierror')
  call get_command_argument(1, argument)
  read (argument, *) expected
  call check(nranks == expected, 'size')
  call check(rank >= 0 .and. rank < nranks, 'rank')
  next = mod(rank + 1, nranks)
  before = mod(rank + nranks - 1, nranks)

  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call check(total == nranks * (nranks - 1) / 2, 'allreduce')
  got = merge(77, -1, rank == nranks - 1)
  call MPI_Bcast(got, 1, MPI_INTEGER, nranks - 1, MPI_COMM_WORLD)
  call check(got == 77, 'bcast')
  call MPI_Iallgather(rank, 1, MPI_INTEGER, everybody, 1, MPI_INTEGER, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call check(all(everybody(1:nranks) == [(i, i = 0, nranks - 1)]), 'iallgather')

  call MPI_Irecv(got, 1, MPI_INTEGER, before, 4, MPI_COMM_WORLD, request)
  call MPI_Send(rank, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD)
  call MPI_Wait(request, status)
  call check(got == before .and. status%MPI_SOURCE == before, 'send')
  call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, found, status)
  call check(.not. found, 'iprobe')

  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Comm_size(half, members)
  call check(members == (nranks + 1 - mod(rank, 2)) / 2, 'split')
  call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 5, both)
  call MPI_Comm_remote_size(both, remote)
  call check(remote == nranks - members, 'intercomm_create')
  call MPI_Comm_dup(MPI_COMM_WORLD, copy)
  call MPI_Comm_compare(copy, MPI_COMM_WORLD, got)
  call check(got == MPI_CONGRUENT, 'dup')
  call MPI_Comm_group(MPI_COMM_WORLD, group)
  call MPI_Group_size(group, members)
  call check(members == nranks, 'group')
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nranks], [.true.], .false., grid)
  call MPI_Cart_shift(grid, 0, 1, got, remote)
  call check(got == before .and. remote == next, 'cart_create')

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attribute, found)
  call check(found .and. attribute >= 32767, 'tag_ub')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, attribute, found)
  if (found) call check(attribute >= 1, 'universe_size')  ! a launcher may not tell it
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length)
  call check(name(1:length) == 'MPI_COMM_WORLD', 'name')
  call MPI_Comm_set_name(MPI_COMM_WORLD, 'all of us')
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length)
  call check(name(1:length) == 'all of us', 'new name')

  if (rank == 0) got = getpid()  ! jobs beside this one have files of their own
  call MPI_Bcast(got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
  write (argument, '(a, i0)') 'world_f08.', got
  call MPI_File_open(MPI_COMM_WORLD, trim(argument), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierr)
  call check(ierr == MPI_SUCCESS, 'file_open')
  bytes = 16 * nranks
  call MPI_File_set_size(file, bytes)
  call MPI_File_get_group(file, group)
  call MPI_Group_size(group, members)
  call check(members == nranks, 'group of the file')
  call MPI_File_close(file)

  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Send(rank, 1, MPI_INTEGER, nranks, 0, MPI_COMM_WORLD, ierr)
  call check(ierr /= MPI_SUCCESS, 'a rank that is not there')

  if (rank == 0) print '(i0, a)', nranks, ' ranks: right'
  call MPI_Finalize()

contains

  subroutine check(claim, what)
    logical, intent(in) :: claim
    character(len=*), intent(in) :: what
    if (claim) return
    print '(a, i0, a, i0, 2a)', 'rank ', rank, ' of ', nranks, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 3)
  end subroutine
end program
