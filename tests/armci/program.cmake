# The program that calls everything, on several layouts; and a small Global Arrays program on the packaged flavour.
set(parts data nonblocking patches drawn aggregate atomics memory groups messages reductions scopes main)
list(TRANSFORM parts REPLACE "(.+)" "program/\\1.c")
armci_client(armci_whole_comex armci_shared ${parts} program/own_comex.c)
armci_client(armci_whole_packaged armci_packaged_shared ${parts} program/own_packaged.c)

# armci_whole(layout ranks "workers-of-each-domain [host-of-each-worker]" environment...)    The flavours take turns; the
# other one is a long test.
function(armci_whole layout ranks workers)
  string(REPLACE " " ";" layout_args "${workers}")
  foreach(flavour comex packaged)
    set(labels armci)
    if(NOT "${flavour}" STREQUAL "${usual}")
      list(APPEND labels long)
    endif()
    comex_add_mpi_test(NAME armci.${flavour}_on_${layout} PROGRAM armci_whole_${flavour} RANKS ${ranks}
      ARGS ${layout_args} ENV ${ARGN} LABELS ${labels})
  endforeach()
  set(others comex packaged)
  list(REMOVE_ITEM others ${usual})
  set(usual ${others} PARENT_SCOPE)
endfunction()
set(usual comex)
armci_whole(1_worker 2 1)
armci_whole(2_workers 3 2)
armci_whole(4_workers_of_2_hosts 6 2,2 COMEX_VIRTUAL_HOSTS=2)
armci_whole(5_workers_of_2_uneven_hosts 7 3,2 COMEX_VIRTUAL_HOSTS=2)
armci_whole(4_workers_of_hosts_in_turn 6 "1,1,1,1 0,1,0,1" COMEX_VIRTUAL_HOSTS=0,1,0,1,0,1)
armci_whole(8_workers_of_2_hosts 10 4,4 COMEX_VIRTUAL_HOSTS=2)
armci_whole(3_workers_through_the_progress_rank 4 3
  COMEX_ENABLE_PUT_SMP=0 COMEX_ENABLE_GET_SMP=0 COMEX_ENABLE_ACC_SMP=0)
armci_whole(2_workers_without_progress_ranks 2 2 GA_NUM_PROGRESS_RANKS_PER_NODE=0)
foreach(flavour comex packaged)
  comex_add_mpi_test(NAME armci.${flavour}_knows_the_standard_only PROGRAM armci_whole_${flavour} RANKS 6 ARGS 2,2
    ENV COMEX_VIRTUAL_HOSTS=2 COMEX_MPI_KNOWLEDGE=none LABELS armci)
endforeach()

# The race checker finds nothing in it, and hands out handles that a layer may keep beside numbers of its own.
if(TARGET comex_check)
  math(EXPR patience "90 * ${COMEX_TEST_SLOWNESS}")
  foreach(flavour comex packaged)
    add_test(NAME armci.${flavour}_is_accused_of_no_race COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/comexrun --check --virtual-hosts 2
      -n 4 --oversubscribe $<TARGET_FILE:armci_whole_${flavour}> 2,2)
    set_tests_properties(armci.${flavour}_is_accused_of_no_race PROPERTIES LABELS "mpi;armci" TIMEOUT ${patience} PROCESSORS 2 COST 60
      ENVIRONMENT COMEX_CHECK=fail FAIL_REGULAR_EXPRESSION "comex check:;not checked")
  endforeach()
  set_property(TEST armci.packaged_is_accused_of_no_race APPEND PROPERTY LABELS long)
  if(COMEX_MPI_KIND STREQUAL mpich)  # the program is the same, and tests/checker has this MPI's calls
    set_property(TEST armci.comex_is_accused_of_no_race APPEND PROPERTY LABELS long)
  endif()
endif()

if(GA_CONFIG)
  string(REGEX MATCH "--coverage" coverage "${CMAKE_CXX_FLAGS}")  # an archive with counters wants their library
  add_test(NAME armci.a_global_arrays_program_links_and_runs
    COMMAND ${scripts}/global_arrays ${CMAKE_LIBRARY_OUTPUT_DIRECTORY} ${COMEX_LAUNCH} ${coverage})
  set_tests_properties(armci.a_global_arrays_program_links_and_runs PROPERTIES LABELS "mpi;armci" TIMEOUT 90 COST 25)
endif()

# Without progress ranks, and without threads, a worker serves others in whatever call it is in.
armci_client(armci_polling armci_shared polling.c)
comex_add_mpi_test(NAME armci.a_worker_that_polls_its_own_memory_serves_others PROGRAM armci_polling RANKS 2
  ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0 COMEX_VIRTUAL_HOSTS=2 LABELS armci TIMEOUT 30)

# Ways to start: over half of the job and then all of it, through ARMCI, by mp3.h.
armci_client(armci_half_comex armci_shared half.c)
armci_client(armci_half_packaged armci_packaged_shared half.c)
armci_client(armci_start armci_shared start.c)
armci_client(armci_start_packaged armci_packaged_shared start.c)
armci_client(armci_mp3 armci_packaged_shared mp3.c)
foreach(flavour comex packaged)
  comex_add_mpi_test(NAME armci.${flavour}_over_each_half_of_the_job PROGRAM armci_half_${flavour} RANKS 6
    LABELS armci)
endforeach()
comex_add_mpi_test(NAME armci.starts_mpi_and_ends_it PROGRAM armci_start RANKS 3 LABELS armci)
comex_add_mpi_test(NAME armci.starts_mpi_at_a_level_of_threads PROGRAM armci_start_packaged RANKS 3 LABELS armci)
comex_add_mpi_test(NAME armci.mp3_names_speak_of_workers PROGRAM armci_mp3 RANKS 3 LABELS armci)

# Whatever call that is.
foreach(flavour comex packaged)
  set(library armci_shared)
  if(flavour STREQUAL packaged)
    set(library armci_packaged_shared)
  endif()
  armci_client(armci_polls_${flavour} ${library} polls.cpp)
  target_link_libraries(armci_polls_${flavour} PRIVATE comex_shared)
  target_compile_definitions(armci_polls_${flavour} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  add_test(NAME armci.${flavour}_calls_that_return_at_once_serve COMMAND ${CMAKE_SOURCE_DIR}/tests/mpi/polls_test
    "P?ARMCI_|ARMCIX_|armci_|derr_printf$|dassertp_fail$" $<TARGET_FILE:${library}> ${COMEX_LAUNCH}
    $<TARGET_FILE:armci_polls_${flavour}>)
  set_tests_properties(armci.${flavour}_calls_that_return_at_once_serve PROPERTIES LABELS "mpi;armci" TIMEOUT 100)
endforeach()
# Classic starts and ends, in every order: I, a (with arguments) and A are ARMCI's, E the messages' end, M MPI's, w works in
# between, and x ends all in a handler of the exit.
armci_client(armci_start_order_comex armci_shared start_order.c)
armci_client(armci_start_order_packaged armci_packaged_shared start_order.c)
foreach(order IwAAEE EEAA IwEAE IIwM MAE AIwAM awAE Iwx)
  comex_add_mpi_test(NAME armci.comex_starts_and_ends_as_${order} PROGRAM armci_start_order_comex RANKS 3 ARGS ${order}
    LABELS armci TIMEOUT 30)
endforeach()
foreach(order IwAE E EAA Iwx)
  comex_add_mpi_test(NAME armci.packaged_starts_and_ends_as_${order} PROGRAM armci_start_order_packaged RANKS 3
    ARGS ${order} LABELS armci TIMEOUT 30)
endforeach()

find_package(Threads REQUIRED)
armci_client(armci_threads armci_shared threads.c)
target_link_libraries(armci_threads PRIVATE Threads::Threads)
comex_add_mpi_test(NAME armci.four_threads_a_worker PROGRAM armci_threads RANKS 3 LABELS armci ALONE)
comex_add_mpi_test(NAME armci.four_threads_a_worker_on_two_hosts PROGRAM armci_threads RANKS 4
  ENV COMEX_VIRTUAL_HOSTS=2 LABELS armci ALONE)

armci_client(armci_large_counts armci_shared large_counts.c)
comex_add_mpi_test(NAME armci.collectives_of_more_than_2_gib PROGRAM armci_large_counts RANKS 3 LABELS armci long ALONE)

armci_client(armci_refused armci_shared refused.c)
add_test(NAME armci.errors_end_the_job_with_one_line COMMAND ${scripts}/refusals $<TARGET_FILE:armci_refused>)
set_tests_properties(armci.errors_end_the_job_with_one_line PROPERTIES LABELS "mpi;armci" TIMEOUT 90 COST 25)

armci_client(armci_refused_arguments armci_shared refused_arguments.c)
armci_client(armci_refused_handles armci_packaged_shared refused_handles.c)
foreach(what arguments handles)
  add_test(NAME armci.wrong_${what}_end_the_job_with_one_line
    COMMAND ${scripts}/refusals --listed $<TARGET_FILE:armci_refused_${what}>)
  set_tests_properties(armci.wrong_${what}_end_the_job_with_one_line PROPERTIES LABELS "mpi;armci" TIMEOUT 60 COST 10)
endforeach()

armci_client(armci_lengths armci_shared lengths.c)
comex_add_mpi_test(NAME armci.members_that_pass_different_lengths_are_told PROGRAM armci_lengths RANKS 4 LABELS armci
  TIMEOUT 30)
set_tests_properties(armci.members_that_pass_different_lengths_are_told PROPERTIES PASS_REGULAR_EXPRESSION
  "comex: rank 0 on [^\n]*: rank 1 of its communicator passes 8 bytes and this one 16; all members")
if(COMEX_MPI_KIND STREQUAL openmpi)  # MPICH ends the job with a line of its own
  comex_add_mpi_test(NAME armci.a_member_that_passes_a_greater_length_is_told PROGRAM armci_lengths RANKS 4 ARGS more
    LABELS armci TIMEOUT 30)
  set_tests_properties(armci.a_member_that_passes_a_greater_length_is_told PROPERTIES PASS_REGULAR_EXPRESSION
    "comex: rank 0 on [^\n]*: rank 1 of its communicator passes more bytes and this one 16; all members")
endif()

# Its libraries take little of the static memory of threads, so that they can be loaded late.
add_executable(armci_load load.c)
target_link_libraries(armci_load PRIVATE ${CMAKE_DL_LIBS})
foreach(library armci_shared armci_packaged_shared)
  add_test(NAME armci.${library}_loads_while_a_program_runs COMMAND armci_load $<TARGET_FILE:${library}>)
  set_tests_properties(armci.${library}_loads_while_a_program_runs PROPERTIES LABELS "armci" TIMEOUT 30)
endforeach()

# Waits for messages have the limits of all waits.
armci_client(armci_message_waits armci_shared message_waits.c)
function(armci_message_wait name what line)
  comex_add_mpi_test(NAME armci.${name} PROGRAM armci_message_waits RANKS 3 ARGS ${what} ${ARGN} LABELS armci TIMEOUT 30)
  set_tests_properties(armci.${name} PROPERTIES PASS_REGULAR_EXPRESSION "comex: rank [0-9]+ on [^\n]*${line}"
    FAIL_REGULAR_EXPRESSION "nobody has sent;${COMEX_LAUNCH_FAILED}")
endfunction()
set(limit ENV COMEX_TIMEOUT_S=5)
set(over "; the limit is COMEX_TIMEOUT_S=5")
armci_message_wait(a_receive_over_the_limit receive "armci_msg_rcv[^\n]* for a message of worker 1${over}" ${limit})
armci_message_wait(a_receive_of_any_over_the_limit any "armci_msg_rcvany[^\n]* for a message of any worker${over}" ${limit})
armci_message_wait(a_send_over_the_limit send "armci_msg_snd[^\n]* for worker 1 to receive a message${over}" ${limit})
armci_message_wait(a_broadcast_over_the_limit broadcast "armci_msg_bcast_scope[^\n]* for a message of worker 1${over}"
  ${limit})
armci_message_wait(a_group_over_the_limit group
  "ARMCI_Group_create to target 1: has been waiting for 1 s.*ARMCI_Group_create[^\n]*${over}" ENV COMEX_MEET_S=1 COMEX_STALL_S=1 COMEX_TIMEOUT_S=5)
armci_message_wait(a_message_of_the_dead death "armci_msg_rcv[^\n]* worker has died" MPI_ARGS --go-on
  ENV COMEX_ON_FAILURE=continue)
comex_add_mpi_test(NAME armci.messages_of_each_other_are_explained PROGRAM armci_message_waits RANKS 3 ARGS circle
  ENV COMEX_STALL_S=1 COMEX_TIMEOUT_S=4 LABELS armci TIMEOUT 30)
set_tests_properties(armci.messages_of_each_other_are_explained PROPERTIES PASS_REGULAR_EXPRESSION
  "comex: why nothing goes on: workers 0, 1 wait for messages of each other" FAIL_REGULAR_EXPRESSION
  "nobody has sent;${COMEX_LAUNCH_FAILED}")

armci_client(armci_outlived armci_shared outlived.c)
comex_add_mpi_test(NAME armci.a_death_ends_calls_without_a_result PROGRAM armci_outlived RANKS 4 MPI_ARGS --go-on
  ENV COMEX_ON_FAILURE=continue LABELS armci TIMEOUT 30)
set_tests_properties(armci.a_death_ends_calls_without_a_result PROPERTIES
  PASS_REGULAR_EXPRESSION "comex: rank [0-9]+ on [^\n]*a process has died, and this call has no result"
  FAIL_REGULAR_EXPRESSION "has not heard;${COMEX_LAUNCH_FAILED}")

armci_client(armci_dies_in_mpi armci_shared dies_in_mpi.c)
comex_add_mpi_test(NAME armci.a_death_where_mpi_makes_a_communicator PROGRAM armci_dies_in_mpi RANKS 4 MPI_ARGS --go-on
  ENV COMEX_ON_FAILURE=continue COMEX_MEET_S=2 LABELS armci TIMEOUT 30)
set_tests_properties(armci.a_death_where_mpi_makes_a_communicator PROPERTIES PASS_REGULAR_EXPRESSION
  "ARMCI_Group_create: MPI does not make the communicator of the group, since worker 1 has died"
  FAIL_REGULAR_EXPRESSION "have made;${COMEX_LAUNCH_FAILED}")

armci_client(armci_lost_host armci_packaged_shared lost_host.c)
target_compile_options(armci_lost_host PRIVATE -idirafter ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(armci_lost_host PRIVATE comex_shared)
foreach(call value lock trylock)
  comex_add_mpi_test(NAME armci.a_lost_host_ends_a_${call} PROGRAM armci_lost_host RANKS 4 ARGS ${call} MPI_ARGS --go-on
    ENV COMEX_ON_FAILURE=continue COMEX_VIRTUAL_HOSTS=2 COMEX_TIMEOUT_S=4 LABELS armci TIMEOUT 40)
  set_tests_properties(armci.a_lost_host_ends_a_${call} PROPERTIES PASS_REGULAR_EXPRESSION
    "aggregate 2, get 2\n.*comex: rank 0 on [^\n]*a process has died, and this call has no result"
    FAIL_REGULAR_EXPRESSION "went on;${COMEX_LAUNCH_FAILED}")
endforeach()

# A barrier of a part, over three hosts.
armci_client(armci_outsider armci_shared outsider.c)
comex_add_mpi_test(NAME armci.a_barrier_of_a_part_fences_everybody PROGRAM armci_outsider RANKS 6
  ENV COMEX_VIRTUAL_HOSTS=3 LABELS armci)

# In forked children; groups that come and go, whose members are late, and that are left to the end.
foreach(flavour comex packaged)
  set(library armci_shared)
  if(flavour STREQUAL packaged)
    set(library armci_packaged_shared)
  endif()
  armci_client(armci_fork_${flavour} ${library} fork.c)
  target_compile_definitions(armci_fork_${flavour} PRIVATE _GNU_SOURCE)
  comex_add_mpi_test(NAME armci.${flavour}_is_refused_in_a_forked_child PROGRAM armci_fork_${flavour} RANKS 3 LABELS armci)
  armci_client(armci_late_members_${flavour} ${library} late_members.c)
  comex_add_mpi_test(NAME armci.${flavour}_waits_for_late_members PROGRAM armci_late_members_${flavour} RANKS 4
    ENV COMEX_MEET_S=1 LABELS armci)
  set_tests_properties(armci.${flavour}_waits_for_late_members PROPERTIES COST 20)
  armci_client(armci_frees_in_order_${flavour} ${library} frees_in_order.c)
  comex_add_mpi_test(NAME armci.${flavour}_frees_communicators_in_order PROGRAM armci_frees_in_order_${flavour} RANKS 3
    LABELS armci TIMEOUT 30)
  armci_client(armci_group_rounds_${flavour} ${library} group_rounds.c)
  comex_add_mpi_test(NAME armci.${flavour}_groups_come_and_go PROGRAM armci_group_rounds_${flavour} RANKS 4 LABELS armci ALONE)
  comex_add_mpi_test(NAME armci.${flavour}_groups_come_and_go_often PROGRAM armci_group_rounds_${flavour} RANKS 4
    ARGS 20000 LABELS armci long TIMEOUT 500 ALONE)
endforeach()
if(COMEX_MPI STREQUAL mpich)  # where they take long
  set_property(TEST armci.comex_groups_come_and_go APPEND PROPERTY LABELS long)
endif()
