# Wrong input, lives of the runtime, limits of memory, and killed processes.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "no Python: the tests of wrong input, memory limits and killed processes are left out")
  return()
endif()

function(comex_add_fault_test name)
  add_test(NAME mpi_${name} COMMAND ${Python3_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(mpi_${name} PROPERTIES LABELS "mpi" TIMEOUT 150 SKIP_RETURN_CODE 77)
endfunction()

foreach(route direct forced remote outside settings)
  comex_add_fault_test(bad_input_${route} bad_input_driver.py ${route} $<TARGET_FILE:mpi_bad_input> 3)
endforeach()
comex_add_fault_test(bad_input_arguments bad_input_driver.py arguments $<TARGET_FILE:mpi_bad_input> 1)
foreach(route arguments direct forced remote)
  comex_add_fault_test(bad_input_${route}_all bad_input_driver.py ${route} $<TARGET_FILE:mpi_bad_input> all)
  set_tests_properties(mpi_bad_input_${route}_all PROPERTIES LABELS "mpi;long" TIMEOUT 1200)
endforeach()

comex_add_fault_test(bad_input_outside_knowing_the_standard_only bad_input_driver.py outside $<TARGET_FILE:mpi_bad_input> 3)
set_tests_properties(mpi_bad_input_outside_knowing_the_standard_only PROPERTIES ENVIRONMENT COMEX_MPI_KNOWLEDGE=none)
set(two_hosts COMEX_VIRTUAL_HOSTS=2)
set(forced COMEX_ENABLE_PUT_SMP=0 COMEX_ENABLE_GET_SMP=0 COMEX_ENABLE_ACC_SMP=0)
comex_add_mpi_test(NAME mpi_fork PROGRAM mpi_fork RANKS 3)
comex_add_mpi_test(NAME mpi_fork_share PROGRAM mpi_fork RANKS 3 ARGS share ENV COMEX_FORK=share)
comex_add_mpi_test(NAME mpi_life_world PROGRAM mpi_life RANKS 3 ARGS world)
comex_add_mpi_test(NAME mpi_life_world_two_hosts PROGRAM mpi_life RANKS 5 ARGS world ENV ${two_hosts} COMEX_ARENA=posix
  COMEX_CHUNK_BYTES=64k COMEX_PROGRESS_RANK_POSITION=smallest COMEX_CORE=full)
comex_add_mpi_test(NAME mpi_life_world_no_progress_ranks PROGRAM mpi_life RANKS 2 ARGS world
  ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0)
comex_add_mpi_test(NAME mpi_life_threadless PROGRAM mpi_life RANKS 2 ARGS threadless ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0)
set_tests_properties(mpi_life_threadless PROPERTIES PASS_REGULAR_EXPRESSION
  "comex: rank [0-9]+ on [^\n]*: init: this worker serves itself and gets no thread for it: pthread_create: Resource")
comex_add_mpi_test(NAME mpi_life_communicators PROGRAM mpi_life RANKS 3 ARGS communicators)
comex_add_mpi_test(NAME mpi_life_communicators_two_hosts PROGRAM mpi_life RANKS 6 ARGS communicators ENV ${two_hosts})
comex_add_mpi_test(NAME mpi_life_abandoned PROGRAM mpi_life RANKS 3 ARGS abandoned ENV ${forced})
comex_add_mpi_test(NAME mpi_life_abandoned_two_hosts PROGRAM mpi_life RANKS 6 ARGS abandoned ENV ${two_hosts})
comex_add_mpi_test(NAME mpi_life_unstarted PROGRAM mpi_life RANKS 4 ARGS unstarted mute ENV ${two_hosts} COMEX_VERBOSE=1)
comex_add_mpi_test(NAME mpi_life_unstarted_alone_on_two_hosts PROGRAM mpi_life RANKS 2 ARGS unstarted threads ENV ${two_hosts})

foreach(limit address_space file_size no_files mount at_once cgroup cgroup_in_small_pieces everything)
  comex_add_fault_test(memory_limits_${limit} memory_limits_driver.py ${limit} $<TARGET_FILE:mpi_memory_limits>)
endforeach()
comex_add_mpi_test(NAME mpi_memory_limits_fine PROGRAM mpi_memory_limits RANKS 3 ARGS fine)
comex_add_mpi_test(NAME mpi_memory_limits_fine_two_hosts PROGRAM mpi_memory_limits RANKS 5 ARGS fine
  ENV ${two_hosts} COMEX_ARENA=posix)
# So many that no worker hears every other's word.
comex_add_mpi_test(NAME mpi_memory_limits_brief_many PROGRAM mpi_memory_limits RANKS 20 ARGS brief ENV ${two_hosts})

foreach(arena auto posix)
  comex_add_fault_test(kill_${arena} kill_driver.py ${arena} $<TARGET_FILE:mpi_kill>)
endforeach()
