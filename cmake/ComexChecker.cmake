# libcomex_check: preloaded, it finds races and other misuse in the program that it is loaded into.
# What stands before MPI's calls is made at build time from src/mpi/mpi_calls.txt.
if(NOT TARGET comex_shared OR COMEX_SANITIZE)
  return()
endif()
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(COMEX_LIBDW QUIET IMPORTED_TARGET libdw)
endif()
if(NOT COMEX_LIBDW_FOUND)
  message(STATUS "libcomex_check is not built: it reads lines of sources by libdw (Debian: libdw-dev)")
  return()
endif()

set(exports ${CMAKE_SOURCE_DIR}/cmake/comex_check.map)
set(made ${CMAKE_CURRENT_BINARY_DIR}/followed_mpi.cpp)
set(generator ${CMAKE_SOURCE_DIR}/src/checked/generate.py)
find_program(COMEX_PYTHON NAMES python3 REQUIRED)
set_source_files_properties(${made} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_custom_command(OUTPUT ${made} COMMAND ${COMEX_PYTHON} -B ${generator} ${made}
  DEPENDS ${generator} ${CMAKE_SOURCE_DIR}/src/mpi/mpi_calls.py ${CMAKE_SOURCE_DIR}/src/mpi/mpi_calls.txt
  COMMENT "Writing the MPI calls of libcomex_check" VERBATIM)
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/checked/*.cpp)
add_library(comex_check SHARED ${sources} ${made})
set_target_properties(comex_check PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${COMEX_ABI_VERSION}
  LINK_DEPENDS ${exports} BUILD_RPATH "\$ORIGIN" BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "\$ORIGIN")
target_include_directories(comex_check PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(comex_check PRIVATE comex_flags room_checker PkgConfig::COMEX_LIBDW ${CMAKE_DL_LIBS} PUBLIC comex_shared)
target_link_options(comex_check PRIVATE LINKER:--version-script=${exports} LINKER:--no-undefined LINKER:--as-needed)
install(TARGETS comex_check LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dropin)
comex_installed(comex_check $<TARGET_FILE:comex_check>)
