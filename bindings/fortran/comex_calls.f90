! Start and end, groups, order, mutexes and signals.
module comex_calls
  use, intrinsic :: iso_c_binding
  use comex_base
  implicit none
  private
  public :: comex_init, comex_init_comm, comex_finalize, comex_initialized, comex_error
  public :: comex_group_rank, comex_group_size, comex_group_create, comex_group_split, comex_group_free, comex_group_comm
  public :: comex_group_translate_rank, comex_host_of, comex_progress
  public :: comex_barrier, comex_fence_all, comex_fence_proc, comex_wait_all, comex_wait_proc
  public :: comex_create_mutexes, comex_destroy_mutexes, comex_lock, comex_trylock, comex_unlock
  public :: comex_wait_until, comex_free

  interface
    integer(c_int) function c_init() bind(C, name='comex_init')
      import
    end function
    integer(c_int) function c_init_comm(comm) bind(C, name='comex_fortran_init_comm')
      import
      integer(c_int), value :: comm
    end function
    integer(c_int) function c_free(part, group) bind(C, name='comex_free')
      import c_int, c_ptr
      type(c_ptr), value :: part
      integer(c_int), value :: group
    end function
    integer(c_int) function c_finalize() bind(C, name='comex_finalize')
      import
    end function
    integer(c_int) function c_initialized() bind(C, name='comex_initialized')
      import
    end function
    integer(c_int) function c_group_create(n, ranks, group, new_group) bind(C, name='comex_group_create')
      import
      integer(c_int), value :: n, group
      integer(c_int), intent(out) :: new_group
      integer(c_int), intent(in) :: ranks(*)
    end function
    integer(c_int) function c_group_split(group, color, key, part) bind(C, name='comex_group_split')
      import
      integer(c_int), value :: group, color, key
      integer(c_int), intent(out) :: part
    end function
    integer(c_int) function c_group_free(group) bind(C, name='comex_group_free')
      import
      integer(c_int), value :: group
    end function
    integer(c_int) function c_group_comm(group, comm) bind(C, name='comex_fortran_comm')
      import
      integer(c_int), value :: group
      integer(c_int), intent(out) :: comm
    end function
    integer(c_int) function c_translate(n, from, ranks, to, there) bind(C, name='comex_group_translate_ranks')
      import
      integer(c_int), value :: n, from, to
      integer(c_int), intent(out) :: there
      integer(c_int), intent(in) :: ranks(*)
    end function
    integer(c_int) function c_host_of(proc, group, host) bind(C, name='comex_host_of')
      import
      integer(c_int), value :: proc, group
      integer(c_int), intent(out) :: host
    end function
    integer(c_int) function c_barrier(group) bind(C, name='comex_barrier')
      import
      integer(c_int), value :: group
    end function
    integer(c_int) function c_fence_all(group) bind(C, name='comex_fence_all')
      import
      integer(c_int), value :: group
    end function
    integer(c_int) function c_wait_all(group) bind(C, name='comex_wait_all')
      import
      integer(c_int), value :: group
    end function
    integer(c_int) function c_fence_proc(proc, group) bind(C, name='comex_fence_proc')
      import
      integer(c_int), value :: proc, group
    end function
    integer(c_int) function c_wait_proc(proc, group) bind(C, name='comex_wait_proc')
      import
      integer(c_int), value :: proc, group
    end function
    integer(c_int) function c_progress() bind(C, name='comex_progress')
      import
    end function
    integer(c_int) function c_create_mutexes(num) bind(C, name='comex_create_mutexes')
      import
      integer(c_int), value :: num
    end function
    integer(c_int) function c_destroy_mutexes() bind(C, name='comex_destroy_mutexes')
      import
    end function
    integer(c_int) function c_lock(mutex, proc) bind(C, name='comex_lock')
      import
      integer(c_int), value :: mutex, proc
    end function
    integer(c_int) function c_trylock(mutex, proc, acquired) bind(C, name='comex_trylock')
      import
      integer(c_int), value :: mutex, proc
      integer(c_int), intent(out) :: acquired
    end function
    integer(c_int) function c_unlock(mutex, proc) bind(C, name='comex_unlock')
      import
      integer(c_int), value :: mutex, proc
    end function
    integer(c_int) function c_wait_until(word, compare, value) bind(C, name='comex_wait_until')
      import
      type(c_ptr), value :: word
      integer(c_int), value :: compare
      integer(c_long), value :: value
    end function
  end interface

contains

  ! Collective over MPI_COMM_WORLD. It starts MPI if nobody has. On a progress rank it does not return.
  subroutine comex_init()
    if (c_init() /= COMEX_SUCCESS) call comex_error('comex_init: failed')
  end subroutine

  ! Over the members of a communicator, which is duplicated: its handle, or %MPI_VAL of mpi_f08's. On a progress rank it
  ! returns when the workers have finalized, and is_worker is false there.
  subroutine comex_init_comm(comm, is_worker)
    integer(c_int), intent(in) :: comm
    logical, intent(out) :: is_worker
    is_worker = c_init_comm(comm) == COMEX_SUCCESS
  end subroutine

  logical function comex_initialized()
    comex_initialized = c_initialized() /= 0
  end function

  ! Prints the text and ends the job.
  subroutine comex_error(text, code)
    character(*), intent(in) :: text
    integer(c_int), intent(in), optional :: code
    call c_error(text//c_null_char, one_or(code))
  end subroutine

  ! Collective over the workers. It completes and frees what is left, and leaves MPI running.
  subroutine comex_finalize(stat)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before, code
    before = enter(present(stat))
    code = c_finalize()
    if (c_initialized() == 0) runtimes_ended = runtimes_ended + 1  ! also where something under way had failed
    call leave('comex_finalize', code, before, stat)
  end subroutine

  ! The caller's rank, and the number of members.
  integer(c_int) function comex_group_rank(group, stat) result(rank)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    rank = -1
    before = enter(present(stat))
    call leave('comex_group_rank', c_group_rank(of(group), rank), before, stat)
  end function

  integer(c_int) function comex_group_size(group, stat) result(members)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    members = 0
    before = enter(present(stat))
    call leave('comex_group_size', c_group_size(of(group), members), before, stat)
  end function

  ! Collective over the members named, in the order of the new ranks. Others may call it, and get COMEX_GROUP_NULL.
  subroutine comex_group_create(ranks, new_group, group, stat)
    integer(c_int), intent(in), contiguous :: ranks(:)
    integer(c_int), intent(out) :: new_group
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    new_group = COMEX_GROUP_NULL
    before = enter(present(stat))
    call leave('comex_group_create', c_group_create(size(ranks), ranks, of(group), new_group), before, stat)
  end subroutine

  ! Collective. Members of one color form a part, ordered by key, then by rank.
  subroutine comex_group_split(color, key, part, group, stat)
    integer(c_int), intent(in) :: color
    integer(c_int), intent(in) :: key
    integer(c_int), intent(out) :: part
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    part = COMEX_GROUP_NULL
    before = enter(present(stat))
    call leave('comex_group_split', c_group_split(of(group), color, key, part), before, stat)
  end subroutine

  ! Collective over the group.
  subroutine comex_group_free(group, stat)
    integer(c_int), intent(inout) :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before, code
    before = enter(present(stat))
    code = c_group_free(group)
    if (code == COMEX_SUCCESS .or. code == COMEX_PROC_FAILED) group = COMEX_GROUP_NULL
    call leave('comex_group_free', code, before, stat)
  end subroutine

  ! The group's communicator, for the program's own collectives. It is the library's, and lives as long as the group.
  integer(c_int) function comex_group_comm(group, stat) result(comm)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    comm = 0
    before = enter(present(stat))
    call leave('comex_group_comm', c_group_comm(of(group), comm), before, stat)
  end function

  ! The rank in `to`, or MPI_UNDEFINED.
  integer(c_int) function comex_group_translate_rank(rank, from, to, stat) result(there)
    integer(c_int), intent(in) :: rank
    integer(c_int), intent(in) :: from
    integer(c_int), intent(in) :: to
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    there = -1
    before = enter(present(stat))
    call leave('comex_group_translate_rank', c_translate(1_c_int, from, [rank], to, there), before, stat)
  end function

  ! Ranks of one number share memory.
  integer(c_int) function comex_host_of(proc, group, stat) result(host)
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    host = -1
    before = enter(present(stat))
    call leave('comex_host_of', c_host_of(proc, of(group), host), before, stat)
  end function

  ! Collective: all fence, then all meet.
  subroutine comex_barrier(group, stat)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_barrier', c_barrier(of(group)), before, stat)
  end subroutine

  ! The caller's writes to all members, or to one, are there for everybody.
  subroutine comex_fence_all(group, stat)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_fence_all', c_fence_all(of(group)), before, stat)
  end subroutine

  subroutine comex_fence_proc(proc, group, stat)
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_fence_proc', c_fence_proc(proc, of(group)), before, stat)
  end subroutine

  ! The caller's requests to all members, or to one, are complete. comex_wait still belongs to each.
  subroutine comex_wait_all(group, stat)
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_wait_all', c_wait_all(of(group)), before, stat)
  end subroutine

  subroutine comex_wait_proc(proc, group, stat)
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_wait_proc', c_wait_proc(proc, of(group)), before, stat)
  end subroutine

  ! One round of progress; never waits.
  subroutine comex_progress(stat)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_progress', c_progress(), before, stat)
  end subroutine

  ! Collective over the workers; each brings its own, numbered from 0.
  subroutine comex_create_mutexes(count, stat)
    integer(c_int), intent(in) :: count
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_create_mutexes', c_create_mutexes(count), before, stat)
  end subroutine

  subroutine comex_destroy_mutexes(stat)
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_destroy_mutexes', c_destroy_mutexes(), before, stat)
  end subroutine

  ! Of worker `proc`. Mutexes fence nothing: fence before an unlock that publishes writes.
  subroutine comex_lock(mutex, proc, stat)
    integer(c_int), intent(in) :: mutex
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_lock', c_lock(mutex, proc), before, stat)
  end subroutine

  ! Whether it is locked now; never waits.
  logical function comex_trylock(mutex, proc, stat) result(is_locked)
    integer(c_int), intent(in) :: mutex
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before, acquired
    acquired = 0
    before = enter(present(stat))
    call leave('comex_trylock', c_trylock(mutex, proc, acquired), before, stat)
    is_locked = acquired /= 0
  end function

  subroutine comex_unlock(mutex, proc, stat)
    integer(c_int), intent(in) :: mutex
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_unlock', c_unlock(mutex, proc), before, stat)
  end subroutine

  ! Returns once a word of the caller's own memory compares (COMEX_CMP_) with the value.
  subroutine comex_wait_until(word, compare, value, stat)
    integer(c_int64_t), intent(inout), target :: word
    integer(c_int), intent(in) :: compare
    integer(c_int64_t), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    before = enter(present(stat))
    call leave('comex_wait_until', c_wait_until(c_loc(word), compare, value), before, stat)
  end subroutine

  ! Collective over the memory's group. Pointers to it become wrong.
  subroutine comex_free(memory, stat)
    type(comex_memory), intent(inout) :: memory
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before, code, me
    if (.not. has_parts(memory)) then
      call refuse('comex_free: the memory is not allocated', stat)
      return
    end if
    before = enter(present(stat))
    code = c_group_rank(memory%group, me)
    if (code == COMEX_SUCCESS) code = c_free(memory%parts(me), memory%group)
    if (code == COMEX_SUCCESS .or. code == COMEX_PROC_FAILED) deallocate (memory%parts)
    call leave('comex_free', code, before, stat)
  end subroutine
end module comex_calls
