# Registration of tests that need a launcher.
#
# comex_add_mpi_test(NAME n PROGRAM target RANKS r [ENV A=b ...] [ARGS a ...] [MPI_ARGS m ...] [LABELS l ...]
#                    [TIMEOUT seconds])
#   runs the program under mpirun and fails as well when something of ours is left in /dev/shm afterwards.
#   RANKS counts MPI ranks: workers and progress ranks. LABELS are `mpi` and those given.
set(COMEX_LAUNCH ${CMAKE_CURRENT_LIST_DIR}/../tests/support/launch)

function(comex_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 t "" "NAME;PROGRAM;RANKS;TIMEOUT" "ENV;ARGS;MPI_ARGS;LABELS")
  if(NOT t_TIMEOUT)
    set(t_TIMEOUT 60)
  endif()
  if(TARGET ${t_PROGRAM})
    set(t_PROGRAM $<TARGET_FILE:${t_PROGRAM}>)
  endif()
  add_test(NAME ${t_NAME} COMMAND ${COMEX_LAUNCH} ${t_TIMEOUT} ${t_RANKS} ${t_MPI_ARGS} ${t_PROGRAM} ${t_ARGS})
  # The launcher's own limit acts first and tidies up; ctest's is the net below it.
  math(EXPR net "${t_TIMEOUT} + 15")
  set_tests_properties(${t_NAME} PROPERTIES LABELS "mpi;${t_LABELS}" TIMEOUT ${net} PROCESSORS 2
    SKIP_RETURN_CODE 77 ENVIRONMENT "${t_ENV}")
endfunction()
