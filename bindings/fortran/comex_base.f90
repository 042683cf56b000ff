! What the kinds of element have in common: types, errors, completion, and transfers of raw memory. Used by comex.F90.
module comex_base
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: enter, leave, of, refuse, transfer_patch, raw_rmw, raw_put_signal, is_reserved, put_code, get_code, accumulate_code
  public :: rmw_swap, rmw_fetch_and_add, rmw_compare_and_swap, bytes_between, own_part, one_or, int32_kind, int64_kind
  public :: c_error, c_group_rank, c_group_size, has_parts
  integer, public :: runtimes_ended = 0

  integer(c_int), parameter, public :: COMEX_SUCCESS = 0, COMEX_FAILURE = 1, COMEX_PROC_FAILED = 2, COMEX_OWNER_DIED = 3
  integer(c_int), parameter, public :: COMEX_GROUP_WORLD = 0, COMEX_GROUP_NULL = -1, COMEX_GROUP_SELF = -2
  integer(c_int), parameter, public :: COMEX_CMP_EQ = 0, COMEX_CMP_NE = 1, COMEX_CMP_GT = 2, COMEX_CMP_GE = 3, &
                                       COMEX_CMP_LT = 4, COMEX_CMP_LE = 5
  integer(c_int), parameter :: put_code = 1, get_code = 2, accumulate_code = 3
  integer(c_int), parameter :: int32_kind = 37, int64_kind = 42  ! of COMEX_ACC_
  integer(c_int), parameter :: rmw_swap = 10, rmw_fetch_and_add = 12, rmw_compare_and_swap = 14  ! + 1: of a long

  ! Memory of all members of a group, each with a part of it, of elements of one kind. Made by comex_allocate.
  type, public :: comex_memory
    private
    integer(c_int), public :: group = COMEX_GROUP_NULL
    integer(c_int), public :: kind = 0                ! which of COMEX_ACC_ the elements are
    integer(c_size_t), public :: element_bytes = 0
    integer(c_size_t), public :: leading = 0          ! from one column to the next, on every member; 0: one dimension
    type(c_ptr), allocatable, public :: parts(:)      ! by rank, from 0
    integer :: runtimes_before = 0                    ! comex_finalize has freed it where more have ended
  end type

  ! An operation under way. One that is not is complete.
  type, public :: comex_request
    private
    integer(c_int) :: handle = 0
    logical, public :: is_pending = .false.
  end type

  public :: comex_address, comex_wait, comex_test

  interface
    integer(c_int) function c_set_errors(mode) bind(C, name='comex_set_errors')
      import c_int
      integer(c_int), value :: mode
    end function
    subroutine serve() bind(C, name='comex_fortran_serve')
    end subroutine
    integer(c_int) function c_get_errors(mode) bind(C, name='comex_get_errors')
      import c_int
      integer(c_int), intent(out) :: mode
    end function
    subroutine c_error(text, code) bind(C, name='comex_error')
      import c_int, c_char
      character(kind=c_char), intent(in) :: text(*)
      integer(c_int), value :: code
    end subroutine
    subroutine c_note(text) bind(C, name='comex_fortran_note')
      import c_char
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    integer(c_int) function c_group_rank(group, rank) bind(C, name='comex_group_rank')
      import c_int
      integer(c_int), value :: group
      integer(c_int), intent(out) :: rank
    end function
    integer(c_int) function c_group_size(group, size) bind(C, name='comex_group_size')
      import c_int
      integer(c_int), value :: group
      integer(c_int), intent(out) :: size
    end function
    integer(c_int) function c_malloc(parts, bytes, group) bind(C, name='comex_malloc')
      import c_int, c_ptr, c_size_t
      type(c_ptr), intent(out) :: parts(*)
      integer(c_size_t), value :: bytes
      integer(c_int), value :: group
    end function
    integer(c_int) function c_wait(handle) bind(C, name='comex_wait')
      import c_int
      integer(c_int), intent(inout) :: handle
    end function
    integer(c_int) function c_test(handle, status) bind(C, name='comex_test')
      import c_int
      integer(c_int), intent(inout) :: handle
      integer(c_int), intent(out) :: status
    end function
    integer(c_int) function c_rmw(op, near, far, extra, proc, group) bind(C, name='comex_rmw')
      import c_int, c_ptr
      type(c_ptr), value :: near, far
      integer(c_int), value :: op, extra, proc, group
    end function
    integer(c_int) function c_put_signal(src, dst, bytes, word, value, proc, group) bind(C, name='comex_put_signal')
      import c_int, c_long, c_ptr
      type(c_ptr), value :: src, dst, word
      integer(c_int), value :: bytes, proc, group
      integer(c_long), value :: value
    end function
    ! comex_puts, comex_gets, comex_accs, or what begins one; near is the caller's memory
    integer(c_int) function c_move(what, kind, scale, near, near_stride, far, far_stride, counts, levels, proc, group, &
                                   handle) bind(C, name='comex_fortran_move')
      import c_int, c_ptr
      integer(c_int), value :: what, kind, levels, proc, group
      type(c_ptr), value :: scale, near, far, handle
      integer(c_int), intent(in) :: near_stride(*), far_stride(*), counts(*)
    end function
  end interface

contains

  ! The error mode that was, if the call is to return its failure, which `asked` tells.
  integer(c_int) function enter(asked) result(before)
    logical, intent(in) :: asked
    integer(c_int) :: ignored
    before = 0
    if (asked) ignored = c_get_errors(before)
    if (asked) ignored = c_set_errors(1_c_int)
  end function

  ! Ends what enter has begun.
  subroutine leave(name, code, before, stat)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: code, before
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: ignored
    if (present(stat)) then
      ignored = c_set_errors(before)
      stat = code
    else if (code /= COMEX_SUCCESS .and. code /= COMEX_OWNER_DIED) then
      call c_error(name//': failed, and the call has no stat'//c_null_char, 1_c_int)
    end if
  end subroutine

  ! What the module itself finds wrong: one line, as the runtime's.
  subroutine refuse(text, stat)
    character(*), intent(in) :: text
    integer(c_int), intent(out), optional :: stat
    if (present(stat)) then
      call c_note(text//c_null_char)
      stat = COMEX_FAILURE
    else
      call c_error(text//c_null_char, 1_c_int)
    end if
  end subroutine

  pure integer(c_int) function of(group)
    integer(c_int), intent(in), optional :: group
    of = COMEX_GROUP_WORLD
    if (present(group)) of = group
  end function

  function text_of(number) result(text)
    integer, intent(in) :: number
    character(:), allocatable :: text
    character(12) :: digits
    write (digits, '(i0)') number
    text = trim(digits)
  end function

  ! From one element to the next; 0 where there is no next.
  pure integer(c_intptr_t) function bytes_between(one, next)
    type(c_ptr), intent(in) :: one, next
    bytes_between = transfer(next, 0_c_intptr_t) - transfer(one, 0_c_intptr_t)
  end function

  pure logical function has_parts(memory)
    type(comex_memory), intent(in) :: memory
    has_parts = allocated(memory%parts) .and. memory%runtimes_before == runtimes_ended
  end function

  ! Collective: the caller's part, of one dimension or two, and the addresses of all. Where it fails, nothing changes.
  logical function is_reserved(memory, kind, element_bytes, extents, group, stat)
    type(comex_memory), intent(inout) :: memory
    integer(c_int), intent(in) :: kind, extents(:)
    integer(c_size_t), intent(in) :: element_bytes
    integer(c_int), intent(in), optional :: group
    integer(c_int), intent(out), optional :: stat
    integer(c_size_t) :: elements
    integer(c_int) :: before, code, members
    is_reserved = .false.
    if (has_parts(memory)) then
      call refuse('comex_allocate: the memory is allocated already; comex_free it first', stat)
      return
    else if (any(extents < 0)) then
      call refuse('comex_allocate: an extent of '//text_of(minval(extents))//'; 0 or more are allowed', stat)
      return
    end if
    before = enter(present(stat))
    code = c_group_size(of(group), members)
    if (code == COMEX_SUCCESS) then
      if (allocated(memory%parts)) deallocate (memory%parts)
      allocate (memory%parts(0:members - 1))
      elements = min(product(int(extents, c_size_t)), huge(element_bytes)/element_bytes)  ! more are refused as these are
      code = c_malloc(memory%parts, element_bytes*elements, of(group))
      if (code /= COMEX_SUCCESS) deallocate (memory%parts)
    end if
    is_reserved = code == COMEX_SUCCESS
    if (is_reserved) then
      memory%runtimes_before = runtimes_ended
      memory%group = of(group)
      memory%kind = kind
      memory%element_bytes = element_bytes
      memory%leading = merge(extents(1), 0, size(extents) == 2)
    end if
    call leave('comex_allocate', code, before, stat)
  end function

  ! The caller's part; c_null_ptr where there is none.
  type(c_ptr) function own_part(memory)
    type(comex_memory), intent(in) :: memory
    integer(c_int) :: me
    own_part = c_null_ptr
    if (.not. has_parts(memory)) return
    if (c_group_rank(memory%group, me) == COMEX_SUCCESS) own_part = memory%parts(me)
  end function

  ! 1 where a step is left out.
  pure integer(c_int) function one_or(step)
    integer(c_int), intent(in), optional :: step
    one_or = 1
    if (present(step)) one_or = step
  end function

  ! Where a member's part begins, or element `first` of it. Ranks of one host may load and store there; c_null_ptr: none.
  type(c_ptr) function comex_address(memory, proc, first) result(address)
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc
    integer(c_int), intent(in), optional :: first
    integer(c_intptr_t) :: at
    address = c_null_ptr
    if (.not. has_parts(memory)) return
    if (proc < 0 .or. proc > ubound(memory%parts, 1)) return
    at = transfer(memory%parts(proc), at)
    if (at /= 0 .and. present(first)) at = at + (first - 1_c_intptr_t)*int(memory%element_bytes, c_intptr_t)
    address = transfer(at, c_null_ptr)
  end function

  ! What is wrong with a place in `memory`, if anything. Whether it lies inside the part, the runtime tells.
  logical function is_refused(name, memory, kind, proc, first, stat)
    character(*), intent(in) :: name
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: kind, proc, first(:)
    integer(c_int), intent(out), optional :: stat
    character(9), parameter :: kinds(37:42) = ['int32    ', 'real64   ', 'real32   ', 'complex32', 'complex64', 'int64    ']
    is_refused = .true.
    if (.not. has_parts(memory)) then
      call refuse(name//': the memory is not allocated', stat)
    else if (kind /= memory%kind) then
      call refuse(name//': target '//text_of(proc)//': the data is '//trim(kinds(kind))//', the memory '// &
                  trim(kinds(memory%kind)), stat)
    else if (proc < 0 .or. proc > ubound(memory%parts, 1)) then
      call refuse(name//': target '//text_of(proc)//' is no rank of the group; allowed are 0 to '// &
                  text_of(ubound(memory%parts, 1)), stat)
    else if (any(first < 1)) then
      call refuse(name//': target '//text_of(proc)//': the first index is '//text_of(minval(first))// &
                  '; indices count from 1', stat)
    else
      is_refused = .false.
    end if
  end function

  ! Moves extents(1) x extents(2) elements. near_stride, in bytes, and step, in elements, lie between them on either side;
  ! first is one index, or row and column.
  subroutine transfer_patch(what, name, kind, near, near_stride, extents, memory, proc, first, step, scale, request, stat)
    integer(c_int), intent(in) :: what, kind, proc, first(:)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: extents(2)
    type(c_ptr), intent(in) :: near, scale
    integer(c_intptr_t), intent(in) :: near_stride(2)
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: step
    type(comex_request), intent(inout), optional, target :: request
    integer(c_int), intent(out), optional :: stat
    integer(c_intptr_t) :: element, far_stride(2), at
    integer(c_int) :: counts(3), near_bytes(2), far_bytes(2), levels, before, code, d
    type(c_ptr) :: handle
    if (is_refused(name, memory, kind, proc, first, stat)) return
    if (present(request)) then
      if (request%is_pending) then
        call refuse(name//': target '//text_of(proc)//': the request is still pending; wait for it first', stat)
        return
      end if
    end if
    element = int(memory%element_bytes, c_intptr_t)
    far_stride = [step*element, int(memory%leading, c_intptr_t)*element]
    at = (first(1) - 1)*element
    if (size(first) == 2) at = at + (first(2) - 1)*far_stride(2)
    if (size(first) == 2 .and. first(1) - 1 + extents(1) > memory%leading) then
      call refuse(name//': target '//text_of(proc)//': '//text_of(first(1))//' is the first of '//text_of(int(extents(1)))// &
                  ' rows; the memory has '//text_of(int(memory%leading)), stat)
      return
    else if (any(extents > huge(counts))) then
      call refuse(name//': target '//text_of(proc)//': more than 2147483647 elements in a row; pass it in parts', stat)
      return
    end if
    ! A run is what is contiguous on both sides; comex.h counts in bytes, as int.
    counts(1) = int(element, c_int)
    levels = 0
    do d = 1, 2
      if (d == 1 .and. (extents(1) == 1 .or. (near_stride(1) == element .and. far_stride(1) == element)) .and. &
          extents(1) <= huge(counts)/counts(1)) then
        counts(1) = counts(1)*int(extents(1), c_int)
      else if (extents(d) > 1) then
        if (min(near_stride(d), far_stride(d)) < 0 .or. max(near_stride(d), far_stride(d)) > huge(near_bytes)) then
          call refuse(name//': target '//text_of(proc)//': strides below 0, or of 2 GiB or more; pass parts one by one', stat)
          return
        end if
        levels = levels + 1
        near_bytes(levels) = int(near_stride(d), c_int)
        far_bytes(levels) = int(far_stride(d), c_int)
        counts(levels + 1) = int(extents(d), c_int)
      end if
    end do
    handle = c_null_ptr
    if (present(request)) handle = c_loc(request%handle)
    if (present(stat)) stat = COMEX_SUCCESS
    if (product(extents) == 0) call serve()
    if (product(extents) == 0) return
    before = enter(present(stat))
    code = c_move(what, kind, scale, near, near_bytes, transfer(transfer(memory%parts(proc), at) + at, c_null_ptr), &
                  far_bytes, counts, levels, proc, memory%group, handle)
    if (present(request)) request%is_pending = code == COMEX_SUCCESS
    call leave(name, code, before, stat)
  end subroutine

  ! The word is element `index` of a part; `near` holds what the operation wants, and gets the old value.
  subroutine raw_rmw(name, op, near, kind, memory, proc, index, extra, stat)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: op, kind, proc, index, extra
    type(c_ptr), intent(in) :: near
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    if (is_refused(name, memory, kind, proc, [index], stat)) return
    before = enter(present(stat))
    call leave(name, c_rmw(op, near, comex_address(memory, proc, index), extra, proc, memory%group), before, stat)
  end subroutine

  subroutine raw_put_signal(kind, near, elements, memory, proc, first, words, index, value, stat)
    integer(c_int), intent(in) :: kind, proc, first, index
    integer(c_int64_t), intent(in) :: elements
    type(c_ptr), intent(in) :: near
    type(comex_memory), intent(in) :: memory, words
    integer(c_long), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    character(*), parameter :: name = 'comex_put_signal'
    integer(c_int) :: before
    if (is_refused(name, memory, kind, proc, [first], stat)) return
    if (is_refused(name, words, int64_kind, proc, [index], stat)) return
    if (words%group /= memory%group) then
      call refuse(name//': the data and the word are memory of different groups', stat)
    else if (elements > huge(index)/int(memory%element_bytes)) then
      call refuse(name//': target '//text_of(proc)//': 2 GiB or more; put them first, and signal the last part', stat)
    else
      before = enter(present(stat))
      call leave(name, c_put_signal(near, comex_address(memory, proc, first), &
                                    int(elements*memory%element_bytes, c_int), &
                                    comex_address(words, proc, index), value, proc, memory%group), before, stat)
    end if
  end subroutine

  ! Returns when the operation is complete: sources may be reused, results are there.
  subroutine comex_wait(request, stat)
    type(comex_request), intent(inout) :: request
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before
    if (present(stat)) stat = COMEX_SUCCESS
    if (.not. request%is_pending) call serve()  ! as every call does
    if (.not. request%is_pending) return
    request%is_pending = .false.
    before = enter(present(stat))
    call leave('comex_wait', c_wait(request%handle), before, stat)
  end subroutine

  ! Whether it is; never waits.
  logical function comex_test(request, stat) result(is_complete)
    type(comex_request), intent(inout) :: request
    integer(c_int), intent(out), optional :: stat
    integer(c_int) :: before, code, pending
    if (present(stat)) stat = COMEX_SUCCESS
    is_complete = .true.
    if (.not. request%is_pending) call serve()  ! as every call does
    if (.not. request%is_pending) return
    before = enter(present(stat))
    pending = 0
    code = c_test(request%handle, pending)
    request%is_pending = code == COMEX_SUCCESS .and. pending /= 0
    is_complete = .not. request%is_pending
    call leave('comex_test', code, before, stat)
  end function
end module comex_base
