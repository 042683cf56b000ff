# The ARMCI façade, one source compiled twice: libarmci (the interface Global Arrays is built against), and
# libarmci-openmpi or libarmci-mpich, by the MPI that is built with (the one that distributions package). The shared ones
# need libcomex.so beside them; the static ones hold everything, so that a C client names neither -lcomex nor -lstdc++.
if(NOT TARGET comex_shared)
  return()
endif()
set(armci_sources ${CMAKE_SOURCE_DIR}/src/armci)
set(armci_map ${CMAKE_SOURCE_DIR}/cmake/armci.map)
file(GLOB armci_common CONFIGURE_DEPENDS ${armci_sources}/*.cpp)

# comex_armci(target flavour-folder library-name)
function(comex_armci name flavour library)
  file(GLOB own CONFIGURE_DEPENDS ${armci_sources}/${flavour}/*.cpp)
  add_library(${name}_objects OBJECT ${armci_common} ${own})
  target_include_directories(${name}_objects PRIVATE ${CMAKE_SOURCE_DIR}/src ${armci_sources}/${flavour}
    ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${name}_objects PRIVATE comex_flags MPI::MPI_C)

  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}_objects>)
  set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${library} VERSION ${PROJECT_VERSION}
    SOVERSION ${COMEX_ABI_VERSION} LINK_DEPENDS ${armci_map}
    BUILD_RPATH "\$ORIGIN" BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "\$ORIGIN")
  target_link_libraries(${name}_shared PRIVATE comex_flags comex_shared PUBLIC MPI::MPI_C)
  target_link_options(${name}_shared PRIVATE LINKER:--version-script=${armci_map} LINKER:--no-undefined
    LINKER:-z,now)
  install(TARGETS ${name}_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dropin
    NAMELINK_COMPONENT development)
  comex_installed(${name}_shared $<TARGET_FILE:${name}_shared>)

  if(TARGET comex_static)
    add_library(${name}_archive STATIC $<TARGET_OBJECTS:${name}_objects>)
    get_target_property(runtime comex_static IMPORTED_LOCATION)
    set(fused ${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/lib${library}.a)
    set_target_properties(${name}_archive PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    add_custom_command(OUTPUT ${fused}
      COMMAND ${CMAKE_SOURCE_DIR}/cmake/fuse_armci ${CMAKE_CXX_COMPILER} ${CMAKE_LINKER} ${CMAKE_OBJCOPY}
              ${CMAKE_AR} ${fused} ${runtime} $<TARGET_FILE:${name}_archive>
      DEPENDS ${name}_archive comex_fused ${runtime} ${CMAKE_SOURCE_DIR}/cmake/fuse_armci
      COMMENT "Fusing ${fused}" VERBATIM)
    add_custom_target(${name}_fused ALL DEPENDS ${fused})
    add_library(${name}_static STATIC IMPORTED GLOBAL)
    set_target_properties(${name}_static PROPERTIES IMPORTED_LOCATION ${fused}
      INTERFACE_LINK_LIBRARIES MPI::MPI_C)
    add_dependencies(${name}_static ${name}_fused)
    install(FILES ${fused} DESTINATION ${CMAKE_INSTALL_LIBDIR})
    comex_installed(${name}_fused ${fused})
  endif()
endfunction()

comex_armci(armci comex_flavour armci)
target_include_directories(armci_shared PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
comex_armci(armci_packaged packaged_flavour ${COMEX_PACKAGED_ARMCI})
# The packages link it from the folder of the distribution's archive as well, and the loader takes that for its origin.
set_target_properties(armci_packaged_shared PROPERTIES
  INSTALL_RPATH "\$ORIGIN;\$ORIGIN/comex/${COMEX_MPI_KIND}/${CMAKE_INSTALL_LIBDIR}")
target_compile_definitions(armci_packaged_objects PRIVATE COMEX_PACKAGED_ARMCI="lib${COMEX_PACKAGED_ARMCI}")
target_include_directories(armci_packaged_shared PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include/comex/armci-mpi>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/comex/armci-mpi>)

foreach(header armci message parmci iterator)
  install(FILES ${CMAKE_SOURCE_DIR}/include/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
comex_pkg_config(armci)

# ga-config of the distribution, with our libraries before its own.
comex_script(comex-ga-config "what links Global Arrays programs with ComEx-PR")
