# Programs of several worlds. A test spawns once at most: Open MPI's launcher can hang when one job spawns again and
# again. Tests of several launches meet through a name server.
comex_add_mpi_test(NAME worlds.nobody PROGRAM worlds_meet RANKS 3 TIMEOUT 40 LABELS worlds ARGS accept none nobody)

# Programs that are spawned and never become a world: what is left says what it waited for, or the launcher says who failed.
function(comex_add_unborn_test kind limit_s words)
  comex_add_mpi_test(NAME worlds.unborn.${kind} PROGRAM worlds_unborn RANKS 3 TIMEOUT 40 LABELS worlds
    ENV COMEX_MEET_S=${limit_s} ARGS ${kind})
  set_tests_properties(worlds.unborn.${kind} PROPERTIES COST 20 PASS_REGULAR_EXPRESSION "${words}")
endfunction()
# The parents go on. A launcher may hand on what is printed on standard error behind the rest.
function(comex_add_outlived_unborn_test kind limit_s words)
  set(goes_on "1 checks ok")
  comex_add_unborn_test(${kind} ${limit_s} "(${words}.*${goes_on}|${goes_on}.*${words})")
endfunction()
# Started without a launcher there is nobody to ask for processes; MPI would wait.
add_test(NAME worlds.unborn.alone COMMAND timeout -k 5 30 $<TARGET_FILE:worlds_unborn> silent)
set_tests_properties(worlds.unborn.alone PROPERTIES LABELS "mpi;worlds" TIMEOUT 45
  PASS_REGULAR_EXPRESSION "world_spawn: [^\n]*started without mpirun.*1 checks ok")

# Two workers and a progress rank that take themselves for spawned, and that MPI knows no parents of.
foreach(what again end)
  comex_add_mpi_test(NAME worlds.orphans.${what} PROGRAM worlds_orphans RANKS 3 TIMEOUT 40 LABELS worlds ARGS ${what}
    ENV COMEX_SPAWNED=1)
endforeach()

# comex_add_launches_test(NAME SCENARIO RANKS RANKS ...): launches of worlds_meet, or of worlds_three where NAME says so.
function(comex_add_launches_test name scenario)
  set(program -r accept,connect $<TARGET_FILE:worlds_meet>)
  if("acceptor" IN_LIST ARGN)
    set(program -r connect,accept $<TARGET_FILE:worlds_meet>)  # the last one dies
  endif()
  if(scenario STREQUAL rounds)
    list(PREPEND program -b $<TARGET_FILE:worlds_bare>)
  endif()
  if(name MATCHES "^three")
    set(program -r 0,1,2 $<TARGET_FILE:worlds_three>)
    if(scenario STREQUAL spawn)
      set(program -r 0,1 $<TARGET_FILE:worlds_three>)
    endif()
  endif()
  add_test(NAME worlds.${name} COMMAND python3 -B ${CMAKE_CURRENT_SOURCE_DIR}/launches.py
    ${program} ${scenario} ${ARGN})
  set_tests_properties(worlds.${name} PROPERTIES LABELS "mpi;worlds" TIMEOUT 110 PROCESSORS 2 SKIP_RETURN_CODE 77)
endfunction()

# Where MPI has no dynamic processes, each attempt says so in one line, and all goes on.
if(NOT COMEX_TEST_SPAWN)
  comex_add_outlived_unborn_test(silent 2 "world_spawn: [^\n]*has started no processes: MPI_Comm_spawn: ")
  comex_add_launches_test(meet.no_ports no_ports 2 2)
  return()
endif()

comex_add_unborn_test(silent 2 "world_spawn: [^\n]*worlds_unborn has not come to MPI_Init within 2 s .COMEX_MEET_S.")
comex_add_mpi_test(NAME worlds.orphans.silent PROGRAM worlds_orphans RANKS 1 TIMEOUT 40 LABELS worlds ARGS silent
  ENV COMEX_SPAWNED=1 COMEX_MEET_S=2)
comex_add_mpi_test(NAME worlds.spawn.unmerged PROGRAM worlds_unmerged RANKS 1 TIMEOUT 40 LABELS worlds
  ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0)
set_tests_properties(worlds.spawn.unmerged PROPERTIES PASS_REGULAR_EXPRESSION "child ok.*parent ok|parent ok.*child ok"
  FAIL_REGULAR_EXPRESSION "wrong: ;${COMEX_LAUNCH_FAILED}")
comex_add_mpi_test(NAME worlds.spawn.stopped PROGRAM worlds_stopped RANKS 1 TIMEOUT 40 LABELS worlds
  ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0 COMEX_MEET_S=4)
set_tests_properties(worlds.spawn.stopped PROPERTIES PASS_REGULAR_EXPRESSION
  "world_disconnect: the other side has not let go within 4 s .COMEX_MEET_S." FAIL_REGULAR_EXPRESSION "${COMEX_LAUNCH_FAILED}")
comex_add_outlived_unborn_test(strange 8 "have not come through comex_init within 8 s .COMEX_MEET_S.")
# The worked example, with both orders of lpids; the child serves itself or is served by its parents' progress rank.
foreach(order spawner parent)
  comex_add_mpi_test(NAME worlds.spawn.${order} PROGRAM worlds_spawn RANKS 3 TIMEOUT 40 LABELS worlds
    ENV COMEX_LPID_ORDER=${order} ARGS ${order})
endforeach()
comex_add_mpi_test(NAME worlds.spawn.knowing_the_standard_only PROGRAM worlds_spawn RANKS 3 TIMEOUT 40 LABELS worlds
  ENV COMEX_MPI_KNOWLEDGE=none ARGS spawner)
comex_add_mpi_test(NAME worlds.spawn.no_progress_rank PROGRAM worlds_spawn RANKS 2 TIMEOUT 40 LABELS worlds
  ENV GA_NUM_PROGRESS_RANKS_PER_NODE=0 ARGS spawner threads)
comex_add_mpi_test(NAME worlds.spawn.threadless PROGRAM worlds_spawn RANKS 3 TIMEOUT 40 LABELS worlds
  ARGS spawner threadless)
comex_add_mpi_test(NAME worlds.spawn.virtual_hosts PROGRAM worlds_spawn RANKS 4 TIMEOUT 40 LABELS worlds
  ENV COMEX_VIRTUAL_HOSTS=2 ARGS spawner)

comex_add_launches_test(meet.whole whole 3 3)
comex_add_launches_test(meet.uneven whole 4 2)
comex_add_launches_test(meet.no_progress_ranks left 2 2)
set_tests_properties(worlds.meet.no_progress_ranks PROPERTIES ENVIRONMENT GA_NUM_PROGRESS_RANKS_PER_NODE=0)
comex_add_launches_test(meet.single single 3 3)
comex_add_launches_test(meet.collision collision 2 2)
comex_add_launches_test(meet.no_server no_server 2 2)
comex_add_launches_test(meet.aborts killed 3 3 abort)
comex_add_launches_test(meet.acceptor_killed killed 3 3 acceptor)
comex_add_launches_test(meet.finalized finalized 3 3)
comex_add_launches_test(meet.broken broken 3 4)
if(COMEX_MPI_KIND STREQUAL openmpi)  # whose launcher is the parent of all ranks
  comex_add_launches_test(meet.held_up held_up 3 5)
endif()
# Ours may grow by 512 KiB more than MPI's own loop of as many rounds, which runs before.
comex_add_launches_test(meet.rounds rounds 2 2 200)
set_tests_properties(worlds.meet.rounds PROPERTIES TIMEOUT 150 LABELS "mpi;worlds;long")
comex_add_launches_test(three.mesh mesh 3 3 3)
comex_add_launches_test(three.chain chain 3 3 3)
comex_add_launches_test(three.spawn spawn 2 3)
set_tests_properties(worlds.three.chain worlds.meet.uneven worlds.meet.acceptor_killed PROPERTIES LABELS "mpi;worlds;long")
comex_add_launches_test(three.killed killed 3 3 2)
# Through the progress ranks, since virtual hosts share no memory.
comex_add_launches_test(meet.virtual_hosts whole 4 4)
set_tests_properties(worlds.meet.virtual_hosts PROPERTIES ENVIRONMENT COMEX_VIRTUAL_HOSTS=2)
