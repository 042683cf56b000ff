# Whole operations without a launcher. Origin and server together in one process:
add_executable(conformance_whole whole_mutexes.cpp whole_operations.cpp whole_differential.cpp whole_batches.cpp whole_looks.cpp
  whole_pieces.cpp whole_pushes.cpp whole_refusals.cpp whole_repeats.cpp whole_threads.cpp two_worlds.cpp)
target_include_directories(conformance_whole PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(conformance_whole PRIVATE comex_flags room_op room_pr comex_test_doubles GTest::gtest GTest::gtest_main)
comex_add_unit_tests(conformance_whole)

# The C interface: the runtime that init makes, without MPI.
add_executable(conformance_calls dead_holders.cpp group_commit.cpp long_waits.cpp meetings.cpp missing_mutexes.cpp
  named_targets.cpp routes.cpp same_bits.cpp storm.cpp threads.cpp told_once.cpp waits.cpp)
# It has names of its own for what others have too.
set_source_files_properties(storm.cpp armci_storm.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_include_directories(conformance_calls PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(conformance_calls PRIVATE comex_flags room_calls comex_test_doubles GTest::gtest GTest::gtest_main)
comex_add_unit_tests(conformance_calls)
set_tests_properties(conformance_calls.half_0 conformance_calls.half_1 PROPERTIES COST 50)

# The ARMCI façade on it, in both flavours.
set(facade ${CMAKE_SOURCE_DIR}/src/armci)
function(comex_conformance_armci name flavour)
  set(calls aggregate completion data state team ${ARGN})
  list(TRANSFORM calls REPLACE "(.+)" "${facade}/\\1.cpp")
  add_executable(${name} armci_storm.cpp ${calls})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${facade}/${flavour})
  target_compile_definitions(${name} PRIVATE GTEST_DONT_DEFINE_FAIL=1)  # armci.h has a FAIL of its own
  target_link_libraries(${name} PRIVATE comex_flags room_calls comex_test_doubles GTest::gtest GTest::gtest_main)
endfunction()
comex_conformance_armci(conformance_armci comex_flavour comex_flavour/notify)
target_sources(conformance_armci PRIVATE armci_threads.cpp armci_refusals.cpp)
comex_add_unit_tests(conformance_armci)
comex_conformance_armci(conformance_armci_packaged packaged_flavour packaged_flavour/groups)
target_compile_definitions(conformance_armci_packaged PRIVATE COMEX_PACKAGED_ARMCI="lib${COMEX_PACKAGED_ARMCI}")
comex_add_unit_tests(conformance_armci_packaged)

add_dependencies(comex_units conformance_whole conformance_calls conformance_armci conformance_armci_packaged)
comex_precompile(conformance_whole tests)
