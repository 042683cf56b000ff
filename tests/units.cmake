# Everything that runs without a launcher: what the sanitizer builds are made for.
#
# The second implementations behind the seams: memory and a clock of their own, and messages within a process.
add_library(comex_test_doubles STATIC support/loopback_mailbox.cpp support/loopback_transport.cpp support/memory_os.cpp)
target_include_directories(comex_test_doubles PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(comex_test_doubles PUBLIC room_transport room_shm PRIVATE comex_flags)

add_subdirectory(unit)

add_custom_target(comex_units)
foreach(program core kernels shm mpi transport groups nb op pr watch runtime worlds spgemm)
  if(TARGET unit_${program})
    add_dependencies(comex_units unit_${program})
  endif()
endforeach()
# Those of them that have threads: what every check builds for the thread sanitizer.
add_custom_target(comex_threaded_units DEPENDS unit_shm unit_transport unit_nb)
