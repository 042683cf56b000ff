# Registration of tests: of units, and of programs that need a launcher.
#
# comex_add_unit_tests(program)
#   one entry in ctest for each half of the program's tests, since a start takes longer than most of them;
#   count_tests.py counts what GoogleTest reports of these in gtest/<entry>.xml. (One alone: PROGRAM --gtest_filter=NAME.)
#
# comex_add_mpi_test(NAME n PROGRAM target RANKS r [ENV A=b ...] [ARGS a ...] [MPI_ARGS m ...] [LABELS l ...]
#                    [TIMEOUT seconds] [ALONE])
#   runs the program in a job and fails as well when a process goes on, or something of ours is left in /dev/shm, afterwards.
#   RANKS counts MPI ranks: workers and progress ranks. LABELS are `mpi` and those given. A check runs
#   four launches of few ranks at once, since most of their time is the start. Those of many ranks count for three.
#   Programs of many rounds run ALONE: two of them on two cores took 60 s in place of 4, since all wait for each other.
set(COMEX_TEST_SLOWNESS 1)
if(CMAKE_CXX_FLAGS MATCHES "--coverage")
  set(COMEX_TEST_SLOWNESS 3)
endif()
set(COMEX_LAUNCH ${CMAKE_CURRENT_LIST_DIR}/../tests/support/launch)
set(COMEX_ON_HOSTS ${CMAKE_CURRENT_LIST_DIR}/../tests/hosts/on_hosts)

# comex_tests_use_this_mpi()
#   the tests of this folder find the tools of the MPI that is built with first in PATH, and its kind in COMEX_TEST_MPI;
#   with MPICH their waits in MPI yield, but for a folder that sets COMEX_TEST_SPINS.
function(comex_tests_use_this_mpi)
  cmake_language(DEFER CALL comex_point_tests_at_mpi)
endfunction()
function(comex_point_tests_at_mpi)
  get_property(tests DIRECTORY PROPERTY TESTS)
  if(TARGET yield_in_progress AND NOT COMEX_TEST_SPINS)
    set(yields "LD_PRELOAD=path_list_prepend:$<TARGET_FILE:yield_in_progress>")
  endif()
  if(tests)
    set_property(TEST ${tests} PROPERTY ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${COMEX_MPI_TOOLS}"
      "COMEX_TEST_MPI=set:${COMEX_MPI_KIND}" ${yields})
  endif()
endfunction()

# comex_deal_tests(REGEX...)
#   deals the tests of this folder whose names match the same REGEX, one program in many layouts, to the two MPIs: the
#   first is a short test with both, each other one with the MPI that its name draws. With a third MPI, and where lines
#   are counted, all stay short.
function(comex_deal_tests)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL comex_deal_these_tests [[${ARGN}]])")
endfunction()
function(comex_deal_these_tests families)
  if(CMAKE_CXX_FLAGS MATCHES "--coverage")
    return()  # of one MPI only
  endif()
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(family ${families})
    set(kept_on_both)
    foreach(test ${tests})
      get_property(labels TEST ${test} PROPERTY LABELS)
      if(NOT test MATCHES "${family}" OR "long" IN_LIST labels)
        continue()
      endif()
      set(program ${family})
      if(family MATCHES "[(]")
        string(REGEX MATCH "${family}" program ${test})
      endif()
      string(MD5 drawn ${test})
      set(taker mpich)
      if(drawn MATCHES "^[0-7]")
        set(taker openmpi)
      endif()
      if(COMEX_MPI_KIND MATCHES "^(openmpi|mpich)$" AND program IN_LIST kept_on_both AND
         NOT COMEX_MPI_KIND STREQUAL taker)
        set_property(TEST ${test} APPEND PROPERTY LABELS long)
      endif()
      list(APPEND kept_on_both ${program})
    endforeach()
  endforeach()
endfunction()

function(comex_add_unit_tests program)
  foreach(half 0 1)
    set(name ${program}.half_${half})
    add_test(NAME ${name} COMMAND ${program})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT "GTEST_BRIEF=1;\
GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=${half};GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/gtest/${name}.xml")
  endforeach()
endfunction()

function(comex_processors ranks)
  set(processors 1)
  if(ranks GREATER 5)
    set(processors 3)
  endif()
  set(processors ${processors} PARENT_SCOPE)
endfunction()

# What a launch says of a hang and of leavings. Where a regular expression decides, ctest does not look at the status.
set(COMEX_LAUNCH_FAILED "launch: (ended after|left (in|running))")
function(comex_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 t "ALONE" "NAME;PROGRAM;RANKS;TIMEOUT" "ENV;ARGS;MPI_ARGS;LABELS")
  if(NOT t_TIMEOUT)
    set(t_TIMEOUT 60)
  endif()
  math(EXPR t_TIMEOUT "${t_TIMEOUT} * ${COMEX_TEST_SLOWNESS}")
  if(TARGET ${t_PROGRAM})
    set(t_PROGRAM $<TARGET_FILE:${t_PROGRAM}>)
  endif()
  add_test(NAME ${t_NAME} COMMAND ${COMEX_LAUNCH} ${t_TIMEOUT} ${t_RANKS} ${t_MPI_ARGS} ${t_PROGRAM} ${t_ARGS})
  # The launcher's own limit acts first and tidies up; ctest's is the net below it.
  math(EXPR net "${t_TIMEOUT} + 15")
  comex_processors(${t_RANKS})
  if(t_ALONE)
    set(processors 4)
  endif()
  set_tests_properties(${t_NAME} PROPERTIES LABELS "mpi;${t_LABELS}" TIMEOUT ${net} PROCESSORS ${processors}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${t_ENV}" FAIL_REGULAR_EXPRESSION "${COMEX_LAUNCH_FAILED}")
endfunction()

# comex_add_host_test(NAME n PROGRAM target HOSTS h RANKS r [ROUND_ROBIN] [BARE] [ENV A=b ...] [ARGS a ...]
#                     [LABELS l ...] [TIMEOUT seconds])
#   the same over h virtual hosts with r MPI ranks each, placed in blocks or round-robin. BARE: the launch agent hands
#   no environment to the other hosts. Skipped where the machine refuses namespaces.
function(comex_add_host_test)
  cmake_parse_arguments(PARSE_ARGV 0 t "ROUND_ROBIN;BARE" "NAME;PROGRAM;HOSTS;RANKS;TIMEOUT" "ENV;ARGS;LABELS")
  if(NOT t_TIMEOUT)
    set(t_TIMEOUT 60)
  endif()
  math(EXPR t_TIMEOUT "${t_TIMEOUT} * ${COMEX_TEST_SLOWNESS}")
  if(TARGET ${t_PROGRAM})
    if(COMEX_MPI_KIND STREQUAL mpich)
      add_dependencies(${t_PROGRAM} leave_endpoints)
    endif()
    set(t_PROGRAM $<TARGET_FILE:${t_PROGRAM}>)
  endif()
  set(layout block)
  if(t_ROUND_ROBIN)
    set(layout round_robin)
  endif()
  if(t_BARE AND COMEX_MPI_KIND STREQUAL mpich)
    return()  # its launcher hands on the environment by itself
  endif()
  set(agent full)
  if(t_BARE)
    set(agent bare)
  endif()
  add_test(NAME ${t_NAME} COMMAND ${COMEX_ON_HOSTS} ${t_HOSTS} ${t_RANKS} ${layout} ${agent} ${t_TIMEOUT}
    ${t_PROGRAM} ${t_ARGS})
  math(EXPR net "${t_TIMEOUT} + 15")
  set_tests_properties(${t_NAME} PROPERTIES LABELS "hosts;${t_LABELS}" TIMEOUT ${net} PROCESSORS 2
    SKIP_RETURN_CODE 77 ENVIRONMENT "${t_ENV}")
endfunction()
