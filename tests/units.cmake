# Everything that runs without a launcher: what the sanitizer builds are made for.
add_subdirectory(unit)

add_custom_target(comex_units)
foreach(program core kernels shm mpi transport groups nb op pr watch checker runtime worlds spgemm)
  if(TARGET unit_${program})
    add_dependencies(comex_units unit_${program})
  endif()
endforeach()
# Those of them that have threads: what every check builds for the thread sanitizer.
add_custom_target(comex_threaded_units DEPENDS unit_shm unit_transport unit_nb)
add_subdirectory(rules)
