# What a client links: comex_shared (libcomex.so) and comex_static (libcomex.a), from the same rooms.
# Both show comex_* and nothing else, and a C client names neither -lstdc++ nor -lhwloc.
get_target_property(calls_kind room_calls TYPE)
if(calls_kind STREQUAL "INTERFACE_LIBRARY")
  return()
endif()

set(COMEX_ABI_VERSION 0)
set(exports ${CMAKE_SOURCE_DIR}/cmake/comex.map)

file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/shared.c "/* Its objects come from the rooms. */\ntypedef int comex_room_list;\n")
add_library(comex_shared SHARED ${CMAKE_CURRENT_BINARY_DIR}/shared.c)
set_target_properties(comex_shared PROPERTIES OUTPUT_NAME comex EXPORT_NAME shared
  VERSION ${PROJECT_VERSION} SOVERSION ${COMEX_ABI_VERSION} LINKER_LANGUAGE CXX LINK_DEPENDS ${exports})
target_link_libraries(comex_shared
  PRIVATE comex_flags $<BUILD_INTERFACE:$<LINK_LIBRARY:WHOLE_ARCHIVE,room_calls>>
  PUBLIC MPI::MPI_C)
target_link_options(comex_shared PRIVATE LINKER:--version-script=${exports} LINKER:--no-undefined LINKER:-z,now
  LINKER:--as-needed)
target_include_directories(comex_shared PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

# One object with everything, the C++ runtime included. A sanitizer's runtime cannot be hidden that way.
if(NOT COMEX_SANITIZE)
  set(archives)
  foreach(room core kernels shm mpi transport groups nb op pr watch runtime worlds calls)
    get_target_property(kind room_${room} TYPE)
    if(kind STREQUAL "STATIC_LIBRARY")
      list(APPEND archives $<TARGET_FILE:room_${room}>)
    endif()
  endforeach()
  set(fused ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libcomex.a)
  add_custom_command(OUTPUT ${fused}
    COMMAND ${CMAKE_SOURCE_DIR}/cmake/fuse_archive ${CMAKE_CXX_COMPILER} ${CMAKE_LINKER} ${CMAKE_OBJCOPY}
            ${CMAKE_AR} ${fused} ${archives}
    DEPENDS ${archives} ${CMAKE_SOURCE_DIR}/cmake/fuse_archive
    COMMENT "Fusing ${fused}" VERBATIM)
  add_custom_target(comex_fused ALL DEPENDS ${fused})
  add_library(comex_static STATIC IMPORTED GLOBAL)
  set_target_properties(comex_static PROPERTIES IMPORTED_LOCATION ${fused}
    INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/include INTERFACE_LINK_LIBRARIES MPI::MPI_C)
  add_dependencies(comex_static comex_fused)
  install(FILES ${fused} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  comex_installed(comex_fused ${fused})
endif()

include(ComexInstall)
