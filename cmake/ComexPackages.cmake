# Debian packages, by `cpack` in a build folder, after `--target installed`:
#   libcomex-MPI         libcomex.so and the programs (component runtime)
#   libcomex-MPI-dropin  libarmci and libcomex_world; the linker takes its libarmci-MPI before the distribution's archive
#   libcomex-MPI-dev     headers, archives, the Fortran module, comex-config, pkg-config's and CMake's files (component
#                        development)
#   python3-comex-MPI    the Python package (component python), where it was built for Debian's Python
#   comex-examples       sources of the examples, the same from the builds of both MPIs
# All of an MPI lies in a folder of its own, /usr/lib/<machine>/comex/<MPI>, so that those of both MPIs are installed side by
# side; alternatives (comexrun, comex-config, python3-comex) give one of them the plain names. The text around them is in
# packaging/debian.
if(NOT TARGET comex_shared OR NOT TARGET comex_top OR NOT COMEX_MPI_KIND MATCHES "^(openmpi|mpich)$")
  return()
endif()
set(CPACK_PACKAGE_CONTACT "" CACHE STRING "Maintainer of the packages, as Name <address>")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/packaging/debian/cpack.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian/staged.cmake)
set(CPACK_COMEX_EXTRA ${CMAKE_BINARY_DIR}/debian)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME comex)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "one-sided communication on MPI, with progress ranks")
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_INSTALL_PREFIX /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/comex/${COMEX_MPI_KIND})

set(prefix ${CPACK_INSTALL_PREFIX})
set(name libcomex-${COMEX_MPI_KIND})
set(exactly "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(priority 50)
set(launcher openmpi-bin)
if(COMEX_MPI_KIND STREQUAL mpich)
  set(priority 40)
  set(launcher mpich)
endif()
file(READ ${CMAKE_SOURCE_DIR}/LICENSE license)
string(STRIP "${license}" license)
string(REGEX REPLACE "\n\n+" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license " ${license}")

# comex_package(group component package section depends description): one package, and the files that only it has.
function(comex_package group component package section depends description)
  string(TOUPPER ${group} GROUP)
  set(extra ${CMAKE_BINARY_DIR}/debian/${group})
  file(REMOVE_RECURSE ${extra})
  set(doc ${extra}/usr/share/doc/${package})
  configure_file(${CMAKE_SOURCE_DIR}/packaging/debian/copyright.in ${doc}/copyright @ONLY)
  install(DIRECTORY ${extra}/usr/ DESTINATION /usr COMPONENT ${component}_debian EXCLUDE_FROM_ALL)
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${GROUP}_DESCRIPTION "${description}" PARENT_SCOPE)
endfunction()
set(long "ComEx-PR lets the processes of an MPI job read, write and add to each
other's memory while the owners compute. This one is for ${COMEX_MPI_KIND}")
comex_package(run runtime ${name} libs "libhwloc15, python3, ${launcher}" "${long}
and has libcomex.so, comexrun, comex_top and comex_info.")
comex_package(drop dropin ${name}-dropin libs "${name} ${exactly}" "${long}
and has libarmci for ARMCI and Global Arrays programs, which the linker
takes before the archive of libarmci-mpi-dev, and libcomex_world for
programs that know only MPI_COMM_WORLD.")
set(depends "${name} ${exactly}, ${name}-dropin ${exactly}, lib${COMEX_MPI_KIND}-dev")
if(COMEX_FORTRAN_MODULES)
  string(APPEND depends ", gfortran | gfortran-mod-15")  # who reads the module files
endif()
comex_package(dev development ${name}-dev libdevel "${depends}" "${long}
and has headers, archives, the Fortran module, comex-config, and the files
of pkg-config and CMake.")
comex_package(examples examples comex-examples doc "" "ComEx-PR lets the processes of an MPI job read, write and add to each
other's memory while the owners compute. This one has sources of examples
in C, C++, Fortran and Python, with a Makefile that asks comex-config.")
set(CPACK_DEBIAN_RUN_PACKAGE_RECOMMENDS "${name}-dropin ${exactly}")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS g++)
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS comex-examples)
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_RECOMMENDS "libcomex-openmpi-dev | libcomex-mpich-dev, make, g++, gfortran, libcli11-dev, libfmt-dev, libpng-dev")
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_SHLIBDEPS OFF)

# comex_alternative(group name path...): postinst and prerm that give files their plain names: paths below the prefix, which
# lie below /usr as well, or FROM=TO. The alternative is called by the first, and the others go with it.
function(comex_alternative group name)
  string(TOUPPER ${group} GROUP)
  set(alternatives "")
  foreach(path ${ARGN})
    string(REGEX REPLACE "^.*=" "" link ${path})
    string(REGEX REPLACE "=.*$" "" path ${path})
    get_filename_component(folder ${link} DIRECTORY)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/debian/${group}/usr/${folder})  # a small system has not all of them
    if(alternatives STREQUAL "")
      set(file ${prefix}/${path})
      set(alternatives "/usr/${link} ${name} ${file} ${priority}")
    else()
      string(REGEX REPLACE "/" "." title ${link})
      string(APPEND alternatives " \\\n      --slave /usr/${link} ${title} ${prefix}/${path}")
    endif()
  endforeach()
  set(scripts ${CMAKE_BINARY_DIR}/debian/${group}-scripts)
  foreach(script postinst prerm)
    configure_file(${CMAKE_SOURCE_DIR}/packaging/debian/alternatives.in ${scripts}/${script} @ONLY FILE_PERMISSIONS
      OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND control ${scripts}/${script})
  endforeach()
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_CONTROL_EXTRA "${control}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_CONTROL_STRICT_PERMISSION ON PARENT_SCOPE)
endfunction()
comex_alternative(run comexrun bin/comexrun bin/comex_top bin/comex_info bin/comex_worlds
  share/man/man1/comexrun.1 share/man/man1/comex_top.1 share/man/man1/comex_info.1 share/man/man1/comex_worlds.1
  share/man/man7/comex-settings.7
  share/bash-completion/completions/comexrun share/bash-completion/completions/comex_top
  share/bash-completion/completions/comex_info
  share/zsh/site-functions/_comexrun=share/zsh/vendor-completions/_comexrun)
comex_alternative(dev comex-config bin/comex-config bin/comex-ga-config share/man/man1/comex-config.1
  share/man/man1/comex-ga-config.1)

# The linker and the loader find the drop-in where the distribution's archive lies.
set(beside ${CMAKE_BINARY_DIR}/debian/drop/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
file(MAKE_DIRECTORY ${beside})
set(armci lib${COMEX_PACKAGED_ARMCI}.so)
get_target_property(abi comex_shared SOVERSION)
file(CREATE_LINK comex/${COMEX_MPI_KIND}/${CMAKE_INSTALL_LIBDIR}/${armci}.${abi} ${beside}/${armci}.${abi} SYMBOLIC)
file(CREATE_LINK ${armci}.${abi} ${beside}/${armci} SYMBOLIC)

set(CPACK_COMPONENTS_ALL runtime runtime_debian dropin dropin_debian development development_debian examples_debian)

# Python looks in one folder, so the module that it finds there is that of one MPI.
if(COMEX_PACKAGE_PYTHON_FOUND MATCHES "^/usr/bin/")
  set(package python3-comex-${COMEX_MPI_KIND})
  string(REGEX REPLACE "^.*[.]" "" minor ${COMEX_PACKAGE_PYTHON_VERSION})
  math(EXPR next "${minor} + 1")
  comex_package(py python ${package} python "${name} ${exactly}, python3 (>= 3.${minor}~), python3 (<< 3.${next}), python3-numpy"
    "${long}
and has the Python package comex.")
  if(COMEX_MPI_KIND STREQUAL openmpi)  # the MPI that Debian builds it for
    set(CPACK_DEBIAN_PY_PACKAGE_SUGGESTS python3-mpi4py)
  endif()
  set(compile "\n    py3compile -p ${package} ${prefix}/${COMEX_PYTHON_INSTALL_DIR}")
  set(clean "case $1 in remove | deconfigure | upgrade) py3clean -p ${package} ;; esac")
  comex_alternative(py python3-comex ${COMEX_PYTHON_INSTALL_DIR}/comex=lib/python3/dist-packages/comex)
  list(APPEND CPACK_COMPONENTS_ALL python python_debian)
endif()

include(CPack)
foreach(pair run:runtime drop:dropin dev:development examples:examples py:python)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 group)
  list(GET pair 1 component)
  cpack_add_component_group(${group})
  cpack_add_component(${component} GROUP ${group})
  cpack_add_component(${component}_debian GROUP ${group})
endforeach()
