! Read-modify-write of words of int32 and int64.
module comex_rmw
  use, intrinsic :: iso_c_binding
  use comex_base
  implicit none
  private
  public :: comex_fetch_and_add, comex_swap, comex_compare_and_swap

  ! Of element `index` of the memory of `proc`, which is of the kind of `old`; atomic, and after the caller's earlier
  ! writes to that rank. `old` receives the value from before.
  interface comex_fetch_and_add
    module procedure fetch_and_add_int32, fetch_and_add_int64
  end interface
  interface comex_swap
    module procedure swap_int32, swap_int64
  end interface
  interface comex_compare_and_swap
    module procedure compare_and_swap_int32, compare_and_swap_int64
  end interface

contains

  logical function has_failed(stat)
    integer(c_int), intent(in), optional :: stat
    has_failed = .false.
    if (present(stat)) has_failed = stat /= 0
  end function

  subroutine fetch_and_add_int32(old, memory, proc, index, increment, stat)
    integer(c_int32_t), intent(inout), target :: old
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index, increment
    integer(c_int), intent(out), optional :: stat
    call raw_rmw('comex_fetch_and_add', rmw_fetch_and_add, c_loc(old), int32_kind, memory, proc, index, increment, stat)
  end subroutine
  subroutine swap_int32(old, memory, proc, index, value, stat)
    integer(c_int32_t), intent(inout) :: old
    integer(c_int32_t), intent(in) :: value
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index
    integer(c_int), intent(out), optional :: stat
    integer(c_int32_t), target :: word
    word = value
    call raw_rmw('comex_swap', rmw_swap, c_loc(word), int32_kind, memory, proc, index, 0_c_int, stat)
    if (has_failed(stat)) return
    old = word
  end subroutine
  ! Stores `desired` if the value is `expected`.
  subroutine compare_and_swap_int32(old, memory, proc, index, expected, desired, stat)
    integer(c_int32_t), intent(inout) :: old
    integer(c_int32_t), intent(in) :: expected, desired
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index
    integer(c_int), intent(out), optional :: stat
    integer(c_int32_t), target :: words(2)
    words = [expected, desired]
    call raw_rmw('comex_compare_and_swap', rmw_compare_and_swap, c_loc(words), int32_kind, memory, proc, index, 0_c_int, stat)
    if (has_failed(stat)) return
    old = words(1)
  end subroutine

  subroutine fetch_and_add_int64(old, memory, proc, index, increment, stat)
    integer(c_int64_t), intent(inout), target :: old
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index, increment
    integer(c_int), intent(out), optional :: stat
    call raw_rmw('comex_fetch_and_add', rmw_fetch_and_add + 1, c_loc(old), int64_kind, memory, proc, index, increment, stat)
  end subroutine
  subroutine swap_int64(old, memory, proc, index, value, stat)
    integer(c_int64_t), intent(inout) :: old
    integer(c_int64_t), intent(in) :: value
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index
    integer(c_int), intent(out), optional :: stat
    integer(c_int64_t), target :: word
    word = value
    call raw_rmw('comex_swap', rmw_swap + 1, c_loc(word), int64_kind, memory, proc, index, 0_c_int, stat)
    if (has_failed(stat)) return
    old = word
  end subroutine
  ! Stores `desired` if the value is `expected`.
  subroutine compare_and_swap_int64(old, memory, proc, index, expected, desired, stat)
    integer(c_int64_t), intent(inout) :: old
    integer(c_int64_t), intent(in) :: expected, desired
    type(comex_memory), intent(in) :: memory
    integer(c_int), intent(in) :: proc, index
    integer(c_int), intent(out), optional :: stat
    integer(c_int64_t), target :: words(2)
    words = [expected, desired]
    call raw_rmw('comex_compare_and_swap', rmw_compare_and_swap + 1, c_loc(words), int64_kind, memory, proc, index, 0_c_int, stat)
    if (has_failed(stat)) return
    old = words(1)
  end subroutine
end module comex_rmw
