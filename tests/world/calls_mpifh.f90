! Knows mpif.h and MPI_COMM_WORLD.
program calls_mpifh
  implicit none
  include 'mpif.h'
  include 'calls_integer.inc'
end program
