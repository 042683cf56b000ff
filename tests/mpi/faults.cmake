# Wrong input, lives of the runtime, limits of memory, and killed processes.
find_package(Python3 COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "no Python: the tests of wrong input, memory limits and killed processes are left out")
  return()
endif()

function(comex_add_fault_test name)
  add_test(NAME mpi_${name} COMMAND ${Python3_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(mpi_${name} PROPERTIES LABELS "mpi" TIMEOUT 150 PROCESSORS 2 SKIP_RETURN_CODE 77)
endfunction()

foreach(route direct forced remote outside settings)
  comex_add_fault_test(bad_input_${route} bad_input_driver.py ${route} $<TARGET_FILE:mpi_bad_input> 4)
endforeach()
