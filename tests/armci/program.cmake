# The program that calls everything, on several layouts; and a small Global Arrays program on the packaged flavour.
set(parts data nonblocking patches aggregate atomics memory groups messages scopes main)
list(TRANSFORM parts REPLACE "(.+)" "program/\\1.c")
armci_client(armci_whole_comex armci_shared ${parts} program/own_comex.c)
armci_client(armci_whole_packaged armci_openmpi_shared ${parts} program/own_packaged.c)
armci_client(armci_aggregation armci_shared aggregation.c)
target_link_libraries(armci_aggregation PRIVATE ${CMAKE_DL_LIBS})

# armci_whole(layout ranks workers-of-each-host environment...)
function(armci_whole layout ranks workers)
  foreach(flavour comex packaged)
    comex_add_mpi_test(NAME armci.${flavour}_on_${layout} PROGRAM armci_whole_${flavour} RANKS ${ranks}
      ARGS ${workers} ENV ${ARGN} LABELS armci)
  endforeach()
endfunction()
armci_whole(1_worker 2 1)
armci_whole(2_workers 3 2)
armci_whole(4_workers_of_2_hosts 6 2,2 COMEX_VIRTUAL_HOSTS=2)
armci_whole(5_workers_of_2_uneven_hosts 7 3,2 COMEX_VIRTUAL_HOSTS=2)
armci_whole(4_workers_of_hosts_in_turn 6 2,2 COMEX_VIRTUAL_HOSTS=0,1,0,1,0,1)
armci_whole(8_workers_of_2_hosts 10 4,4 COMEX_VIRTUAL_HOSTS=2)
armci_whole(3_workers_through_the_progress_rank 4 3
  COMEX_ENABLE_PUT_SMP=0 COMEX_ENABLE_GET_SMP=0 COMEX_ENABLE_ACC_SMP=0)
armci_whole(2_workers_without_progress_ranks 2 2 GA_NUM_PROGRESS_RANKS_PER_NODE=0)
comex_add_mpi_test(NAME armci.aggregates_issue_one_operation_per_target PROGRAM armci_aggregation RANKS 3
  LABELS armci)

if(GA_CONFIG)
  add_test(NAME armci.a_global_arrays_program_links_and_runs
    COMMAND ${scripts}/global_arrays ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${COMEX_LAUNCH})
  set_tests_properties(armci.a_global_arrays_program_links_and_runs PROPERTIES LABELS "mpi;armci" TIMEOUT 90
    PROCESSORS 2)
endif()
