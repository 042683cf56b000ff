# libcomex_world: preloaded or linked, it gives programs that know only MPI_COMM_WORLD the workers' world.
# Its wrappers are made at build time from the tables mpi_calls.txt and fortran_names.txt of src/mpi.
if(NOT TARGET comex_shared)
  return()
endif()
find_program(COMEX_PYTHON NAMES python3 REQUIRED)

set(room ${CMAKE_SOURCE_DIR}/src/interpose)
set(tables ${CMAKE_SOURCE_DIR}/src/mpi)
set(tables ${tables}/mpi_calls.py ${tables}/mpi_calls.txt ${tables}/fortran_names.txt)
set(made)
foreach(language c fortran)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/world_${language}.cpp)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_custom_command(OUTPUT ${output}
    COMMAND ${COMEX_PYTHON} -B ${room}/generate.py ${language} ${output}
    DEPENDS ${room}/generate.py ${tables}
    COMMENT "Writing the MPI wrappers of libcomex_world (${language})" VERBATIM)
  list(APPEND made ${output})
endforeach()

file(GLOB sources CONFIGURE_DEPENDS ${room}/*.cpp)
set(exports ${CMAKE_SOURCE_DIR}/cmake/comex_world.map)
add_library(comex_world SHARED ${sources} ${made})
set_target_properties(comex_world PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${COMEX_ABI_VERSION}
  LINK_DEPENDS ${exports} BUILD_RPATH "\$ORIGIN" BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "\$ORIGIN")
target_include_directories(comex_world PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(comex_world PRIVATE comex_flags PUBLIC comex_shared)
target_link_options(comex_world PRIVATE LINKER:--version-script=${exports} LINKER:--no-undefined LINKER:--as-needed)
install(TARGETS comex_world LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dropin)
comex_installed(comex_world $<TARGET_FILE:comex_world>)
