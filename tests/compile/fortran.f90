! A client of the installed Fortran module: it needs no launcher, since it starts nothing.
program client
  use, intrinsic :: iso_fortran_env
  use comex
  implicit none
  type(comex_memory) :: memory
  integer :: stat
  real(real64) :: value
  if (comex_initialized()) stop 1
  value = 1
  call comex_put(value, memory, 0, 1, stat=stat)
  if (stat /= COMEX_FAILURE) stop 2
end program client
