! All of the module comex, for several layouts of the job. Arguments:
!   comm    init over a communicator        ends    a wrong call without stat ends the job
program fortran_interface
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use mpi_f08
  use comex
  implicit none
  integer :: me, workers
  logical :: is_worker
  type(comex_memory) :: outliving
  integer(int32), pointer :: outlived(:)
  character(16) :: what

  call get_command_argument(1, what)
  is_worker = .true.
  call MPI_Init()
  if (what == 'comm') then
    call comex_init_comm(MPI_COMM_WORLD%MPI_VAL, is_worker)
  else
    call comex_init()
  end if
  if (is_worker) call work()
  if (is_worker .and. what == '') call start_again()
  call MPI_Finalize()

contains

  subroutine work()
    type(comex_memory) :: memory
    me = comex_group_rank()
    workers = comex_group_size()
    if (what == 'ends') call comex_put(1.0_real64, memory, 0, 1)
    call require(comex_initialized(), 'initialized')
    call check_int32()
    call check_int64()
    call check_real32()
    call check_real64()
    call check_complex32()
    call check_complex64()
    call check_groups()
    call check_words()
    call check_mutexes()
    call check_signals()
    call check_refusals()
    call check_polls()
    call comex_barrier()
    call comex_allocate(outliving, outlived, 2)
    if (me == 0) write (*, '(a,i0,a)') 'fortran_interface: ', workers, ' workers: ok'
    call comex_finalize()
    call require(.not. comex_initialized(), 'finalized')
  end subroutine

  ! Finalize has freed the memory, and the same variable takes that of the next runtime.
  subroutine start_again()
    integer(int32), pointer :: mine(:)
    integer(c_int) :: stat
    integer(int32) :: found
    call comex_init()
    call require(.not. c_associated(comex_address(outliving, me)), 'the address in memory of the first runtime')
    call comex_put(1_int32, outliving, me, 1, stat=stat)
    call require(stat == COMEX_FAILURE, 'a put to memory of the first runtime')
    call comex_allocate(outliving, mine, 3)
    call comex_put(int(me, int32), outliving, mod(me + 1, workers), 2)
    call comex_barrier()
    call comex_get(found, outliving, mod(me + 1, workers), 2)
    call require(found == me, 'memory of the second runtime')
    call comex_free(outliving)
    call comex_finalize()
  end subroutine

  ! A program may wait by any call until it sees what another worker has written.
  subroutine check_polls()
    type(comex_memory) :: memory
    type(comex_request) :: complete
    integer(int64), pointer :: flags(:)
    logical :: is_complete
    integer :: i
    call comex_allocate(memory, flags, 2)
    flags = 0
    call comex_barrier()
    do i = 1, 2
      if (me == workers - 1) then
        call comex_put(1_int64, memory, 0, i)
        call comex_fence_proc(0)
      end if
      if (me /= 0) cycle
      do while (flags(i) == 0)
        if (i == 1) is_complete = comex_test(complete)
        if (i == 2) call comex_wait(complete)
      end do
    end do
    call comex_barrier()
    call comex_free(memory)
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    character(12) :: number
    if (holds) return
    write (number, '(i0)') me
    call comex_error('fortran_interface: worker '//trim(number)//': '//what//': wrong', 3)
  end subroutine

#define CHECK_KIND check_int32
#define ELEMENT integer(int32)
#define OF(n) (n)
#include "fortran_kind.inc"
#undef CHECK_KIND
#undef ELEMENT
#undef OF
#define CHECK_KIND check_int64
#define ELEMENT integer(int64)
#define OF(n) int(n, int64)
#include "fortran_kind.inc"
#undef CHECK_KIND
#undef ELEMENT
#undef OF
#define CHECK_KIND check_real32
#define ELEMENT real(real32)
#define OF(n) real(n, real32)
#include "fortran_kind.inc"
#undef CHECK_KIND
#undef ELEMENT
#undef OF
#define CHECK_KIND check_real64
#define ELEMENT real(real64)
#define OF(n) real(n, real64)
#include "fortran_kind.inc"
#undef CHECK_KIND
#undef ELEMENT
#undef OF
#define CHECK_KIND check_complex32
#define ELEMENT complex(real32)
#define OF(n) cmplx(n, 0, real32)
#include "fortran_kind.inc"
#undef CHECK_KIND
#undef ELEMENT
#undef OF
#define CHECK_KIND check_complex64
#define ELEMENT complex(real64)
#define OF(n) cmplx(n, 0, real64)
#include "fortran_kind.inc"

  subroutine check_groups()
    integer :: half, pair, members, stat
    type(MPI_Comm) :: comm
    type(comex_memory) :: memory
    integer(int64), pointer :: mine(:)
    integer(int64) :: old
    call comex_group_split(modulo(me, 2), -me, half)
    call require(comex_group_size(half) == (workers + 1 - modulo(me, 2))/2, 'the size of a half')
    call require(comex_group_translate_rank(comex_group_rank(half), half, COMEX_GROUP_WORLD) == me, 'a rank in the world')
    comm%MPI_VAL = comex_group_comm(half)
    call MPI_Comm_size(comm, members)
    call require(members == comex_group_size(half), 'the communicator of a half')
    call comex_allocate(memory, mine, merge(1, 0, comex_group_rank(half) == 0), half)
    if (size(mine) > 0) mine = 10
    call comex_barrier(half)
    call comex_fetch_and_add(old, memory, 0, 1, 1)
    call require(old >= 10 .and. old < 10 + members, 'a number from the counter of a half')
    call comex_fence_all(half)
    call comex_fence_proc(0, half)
    call comex_wait_all(half)
    call comex_wait_proc(0, half)
    call comex_barrier(half)
    if (size(mine) > 0) call require(mine(1) == 10 + members, 'the counter of a half')
    call require(comex_host_of(comex_group_rank(half), half) == comex_host_of(me), 'a host')
    call comex_barrier(half)
    call comex_free(memory)
    call comex_group_free(half)
    call require(half == COMEX_GROUP_NULL, 'a group that was freed')
    call comex_group_create([workers - 1, 0], pair, stat=stat)
    call require((stat == COMEX_SUCCESS) .eqv. workers > 1, 'a group of two')
    if (stat /= COMEX_SUCCESS) return
    call require((pair /= COMEX_GROUP_NULL) .eqv. (me == 0 .or. me == workers - 1), 'who is in a group of two')
    if (me == 0) call require(comex_group_rank(pair) == 1, 'the rank in a group of two')
    if (pair /= COMEX_GROUP_NULL) call comex_group_free(pair)
  end subroutine

  subroutine check_words()
    type(comex_memory) :: memory, wide_memory
    integer(int32), pointer :: mine(:)
    integer(int64), pointer :: wide(:)
    integer(int32) :: old
    integer(int64) :: long
    integer :: i, sum
    type(c_ptr) :: address
    integer(int32), pointer :: seen
    call comex_allocate(memory, mine, 3)
    call comex_allocate(wide_memory, wide, 2)
    mine = 0
    wide = 2_int64**40
    call comex_barrier()
    do i = 1, 10
      call comex_fetch_and_add(old, memory, 0, 2, 3)
    end do
    call comex_barrier()
    if (me == 0) call require(mine(2) == 30*workers .and. mine(1) == 0, 'a counter of int32')
    call comex_compare_and_swap(long, wide_memory, me, 1, 0_int64, 5_int64)
    call require(long == 2_int64**40 .and. wide(1) == 2_int64**40, 'a compare-and-swap that does not')
    call comex_compare_and_swap(long, wide_memory, me, 1, 2_int64**40, 2_int64**41)
    call require(long == 2_int64**40 .and. wide(1) == 2_int64**41, 'a compare-and-swap that does')
    call comex_compare_and_swap(old, memory, me, 3, 0, 9)
    call require(old == 0 .and. mine(3) == 9, 'a compare-and-swap of int32')
    call comex_swap(old, memory, me, 3, 4)
    call require(old == 9 .and. mine(3) == 4, 'a swap')
    call comex_swap(long, wide_memory, me, 2, -1_int64)
    call require(long == 2_int64**40 .and. wide(2) == -1, 'a swap of int64')
    call comex_barrier()
    sum = 0
    do i = 0, workers - 1
      if (comex_host_of(i) /= comex_host_of(me)) cycle
      address = comex_address(memory, i, 3)
      call c_f_pointer(address, seen)
      sum = sum + seen
    end do
    call require(sum > 0 .and. modulo(sum, 4) == 0, 'words of the own host')
    call require(.not. c_associated(comex_address(memory, workers)), 'the address of no rank')
    call comex_barrier()
    call comex_free(wide_memory)
    call comex_free(memory)
  end subroutine

  subroutine check_mutexes()
    type(comex_memory) :: memory
    integer(int64), pointer :: mine(:)
    integer(int64) :: value
    integer :: i
    logical :: is_locked
    call comex_create_mutexes(2)
    call comex_allocate(memory, mine, 1)
    mine = 0
    call comex_barrier()
    do i = 1, 5
      call comex_lock(1, workers - 1)
      call comex_get(value, memory, 0, 1)
      call comex_put(value + 1, memory, 0, 1)
      call comex_fence_proc(0)
      call comex_unlock(1, workers - 1)
    end do
    call comex_barrier()
    if (me == 0) call require(mine(1) == 5*workers, 'a sum under a mutex')
    is_locked = comex_trylock(0, me)
    call require(is_locked, 'a mutex that is free')
    call comex_barrier()
    call require(.not. comex_trylock(0, modulo(me + 1, workers)) .or. workers == 1, 'a mutex that is not')
    call comex_barrier()
    call comex_unlock(0, me)
    call comex_barrier()
    call comex_free(memory)
    call comex_destroy_mutexes()
  end subroutine

  subroutine check_signals()
    type(comex_memory) :: memory, words
    real(real32), pointer :: mine(:)
    integer(int64), pointer :: word(:)
    real(real32) :: data(50)
    call comex_allocate(memory, mine, 60)
    call comex_allocate(words, word, 2)
    mine = 0
    word = 0
    call comex_barrier()
    data = real(me + 1, real32)
    call comex_put_signal(data, memory, modulo(me + 1, workers), 11, words, 2, 8_int64)
    call comex_wait_until(word(2), COMEX_CMP_GE, 8_int64)
    call require(all(mine(11:) == modulo(me - 1, workers) + 1) .and. all(mine(:10) == 0), 'data that came with a signal')
    call comex_barrier()
    call comex_free(words)
    call comex_free(memory)
  end subroutine

  ! Wrong calls with stat change nothing, and the program goes on.
  subroutine check_refusals()
    type(comex_memory) :: memory, none
    type(comex_request) :: request
    real(real64), pointer :: mine(:, :)
    complex(real64), pointer :: wide(:, :)
    real(real64), asynchronous :: data(3, 3)
    integer :: stat, next, group
    integer(int32) :: old
    next = modulo(me + 1, workers)
    call comex_allocate(memory, mine, 4, 5)
    mine = 1
    data = 2
    call comex_barrier()
    call comex_put(1.0_real32, memory, next, 1, stat=stat)
    call require(stat == COMEX_FAILURE, 'another type')
    call comex_put(data, memory, workers, [1, 1], stat=stat)
    call require(stat == COMEX_FAILURE, 'no rank')
    call comex_put(data, memory, next, [0, 1], stat=stat)
    call require(stat == COMEX_FAILURE, 'an index below 1')
    call comex_get(data, memory, next, [3, 1], stat=stat)
    call require(stat == COMEX_FAILURE, 'more rows than there are')
    call comex_put(data(3:1:-1, :), memory, next, [1, 1], stat=stat)
    call require(stat == COMEX_FAILURE, 'a section that runs backwards')
    call comex_put(data(:, 1), none, next, 1, stat=stat)
    call require(stat == COMEX_FAILURE, 'memory that is not allocated')
    call comex_free(none, stat)
    call require(stat == COMEX_FAILURE, 'a free of nothing')
    call comex_allocate(memory, mine, 2, 3, stat=stat)
    call require(stat == COMEX_FAILURE, 'a second allocate')
    call require(all(shape(mine) == [4, 5]), 'the own part after a second allocate')
    call comex_allocate(none, mine, -1, 3, stat=stat)
    call require(stat == COMEX_FAILURE .and. all(shape(mine) == [4, 5]), 'the own part after an extent below 0')
    call comex_allocate(none, wide, 2**30, 2**30, stat=stat)
    call require(stat == COMEX_FAILURE, 'as many bytes as no address counts')
    call comex_put(data(:2, 1), memory, next, 2, step=-536870911, stat=stat)
    call require(stat == COMEX_FAILURE, 'a step backwards that is positive as an int of bytes')
    call comex_put(data(:0, 1), memory, next, 2, step=-536870911, stat=stat)
    call require(stat == COMEX_SUCCESS, 'no elements of any step')
    group = 977
    call comex_group_free(group, stat)
    call require(stat == COMEX_FAILURE .and. group == 977, 'a free of a group that is none')
    call comex_fetch_and_add(old, memory, next, 1, 1, stat)
    call require(stat == COMEX_FAILURE, 'a counter of another type')
    old = 17
    call comex_swap(old, memory, next, 1, 4, stat)
    call require(stat == COMEX_FAILURE .and. old == 17, 'a swap of another type')
    call comex_compare_and_swap(old, memory, next, 1, 4, 5, stat)
    call require(stat == COMEX_FAILURE .and. old == 17, 'a compare-and-swap of another type')
    call comex_put(data, memory, next, [1, 1000000], stat=stat)
    if (stat == COMEX_SUCCESS) call comex_fence_proc(next, stat=stat)
    call require(stat == COMEX_FAILURE, 'columns that are not there')
    call comex_barrier(977, stat)
    call require(stat == COMEX_FAILURE, 'a group that is none')
    call comex_barrier(stat=stat)
    call require(stat == COMEX_SUCCESS, 'a barrier after refusals')
    call require(all(comex_values(memory, me) == 1), 'memory after refusals')
    call comex_barrier()
    call comex_put(data, memory, next, [2, 3], request, stat)
    call require(stat == COMEX_SUCCESS, 'a put with a request')
    if (request%is_pending) call comex_put(data, memory, next, [2, 3], request, stat)
    call require(stat == COMEX_FAILURE, 'a request that is pending')
    call comex_wait(request, stat)
    call require(stat == COMEX_SUCCESS, 'a wait')
    call comex_barrier()
    data = comex_values(memory, me)
    call require(count(data == 2) == 6, 'a put after refusals')
    call comex_barrier()
    call comex_free(memory)
  end subroutine

  ! The middle of a part of four rows.
  function comex_values(memory, proc) result(values)
    type(comex_memory), intent(in) :: memory
    integer, intent(in) :: proc
    real(real64) :: values(3, 3)
    call comex_get(values, memory, proc, [2, 2])
  end function
end program fortran_interface
