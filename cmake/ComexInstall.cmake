# cmake --install: headers, libraries, comex.pc and the CMake package.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/comex)

install(TARGETS comex_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime
  NAMELINK_COMPONENT development)
comex_installed(comex_shared $<TARGET_FILE:comex_shared>)
install(FILES ${CMAKE_SOURCE_DIR}/include/comex.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/comex DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# comex_pkg_config(name): its file for pkg-config. All folders are found from where a file lies, so that an installed tree
# can be moved; a folder may be absolute, outside of the prefix too.
function(comex_pkg_config name)
  file(RELATIVE_PATH up_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH headers ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
comex_pkg_config(comex)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/comexConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/comexConfig.cmake INSTALL_DESTINATION ${package_dir}
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/comexConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/comexConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/comexConfigVersion.cmake
  DESTINATION ${package_dir})

# comex_script(name description): a script that finds the folders from where it lies, in the build as in an installed tree.
function(comex_script name description)
  set(template ${CMAKE_SOURCE_DIR}/cmake/${name}.in)
  set(prefix_from_bin ..)
  set(libraries_from_bin ../lib)
  file(RELATIVE_PATH headers_from_bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR}/include)
  file(RELATIVE_PATH modules_from_bin ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_BINARY_DIR}/bindings/fortran/modules)
  configure_file(${template} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  file(RELATIVE_PATH prefix_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
  file(RELATIVE_PATH libraries_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH headers_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  set(modules_from_bin ${headers_from_bin}/${COMEX_FORTRAN_MODULES})
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${name} @ONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  comex_man_page(${name} ${description} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name})
endfunction()
comex_script(comex-config "what compiles and links programs with ComEx-PR")
