# How the programs about identities, groups and endpoints are run.
set(two_hosts COMEX_VIRTUAL_HOSTS=2)
set(own_thread GA_NUM_PROGRESS_RANKS_PER_NODE=0 ${two_hosts})

function(run_worlds program variant ranks)
  cmake_parse_arguments(PARSE_ARGV 3 t "" "" "ENV;ARGS;MPI_ARGS;LABELS")
  comex_add_mpi_test(NAME worlds.${program}.${variant} PROGRAM worlds_${program} RANKS ${ranks} ENV ${t_ENV}
    ARGS ${t_ARGS} MPI_ARGS ${t_MPI_ARGS} LABELS ${t_LABELS})
endfunction()

run_worlds(identities of_2 2)
run_worlds(identities of_3 3 LABELS long)
run_worlds(identities of_4 4 LABELS long)
run_worlds(identities of_5 5)
run_worlds(identities on_two_hosts 5 ENV ${two_hosts})
run_worlds(identities of_a_manager 3 ENV COMEX_MANAGER=77 ARGS manager=77)
run_worlds(identities own_thread 3 ENV ${own_thread} ARGS threads)
run_worlds(identities parts 4 ARGS parts)
run_worlds(identities late 4 ENV COMEX_MEET_S=2 ARGS late)
set_tests_properties(worlds.identities.late PROPERTIES COST 40)

# Two programs in one launch: the rank within each is the process's own secret.
add_test(NAME worlds.identities.two_programs COMMAND ${COMEX_LAUNCH} 60 2 $<TARGET_FILE:worlds_identities> apps
  : -np 3 $<TARGET_FILE:worlds_identities> apps)
set_tests_properties(worlds.identities.two_programs PROPERTIES LABELS mpi TIMEOUT 75)

if(TARGET OpenMP::OpenMP_CXX)
  run_worlds(endpoints of_2 2 LABELS long)
  run_worlds(endpoints of_3 3 LABELS long)
  run_worlds(endpoints of_5 5)
  run_worlds(endpoints on_two_hosts 5 ENV ${two_hosts})
  run_worlds(endpoints own_thread 3 ENV ${own_thread})
  run_worlds(endpoints remote 3 ENV COMEX_ENABLE_PUT_SMP=0 COMEX_ENABLE_GET_SMP=0 COMEX_ENABLE_ACC_SMP=0)
endif()
