! Knows the mpi module and MPI_COMM_WORLD.
program calls_use_mpi
  use mpi
  implicit none
  include 'calls_integer.inc'
end program
