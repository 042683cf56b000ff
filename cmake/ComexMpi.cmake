# Which MPI is built with, and its tools under their plain names.
#
# COMEX_MPI names one of Debian's two, or is empty: then it is that of MPI_C_COMPILER, or of the first mpicc in PATH.
# Sets COMEX_MPI_KIND (openmpi, mpich, or other), COMEX_MPI_LIBRARY (what the library says of itself, its first line),
# COMEX_MPI_FAMILY (a pattern of what those say that programs may be run with instead),
# the names of what distributions package for it, and COMEX_MPI_TOOLS, a folder with mpirun, mpicc, mpicxx, mpifort and
# ga-config of this MPI, whatever the system's alternatives are. Tests find it first in their PATH.
set(COMEX_MPI "" CACHE STRING "openmpi or mpich; empty: the MPI of MPI_C_COMPILER, or the first in PATH")
set_property(CACHE COMEX_MPI PROPERTY STRINGS "" openmpi mpich)

# Where mpicc has an ending or a folder of its own, the others have the same.
if(COMEX_MPI)
  set(mpicc mpicc.${COMEX_MPI})
endif()
find_program(MPI_C_COMPILER NAMES ${mpicc} mpicc)
if(NOT MPI_C_COMPILER)
  message(FATAL_ERROR "There is no mpicc: install an MPI (libopenmpi-dev or libmpich-dev), or name its "
    "compiler by MPI_C_COMPILER")
endif()
get_filename_component(mpi_bin ${MPI_C_COMPILER} DIRECTORY)
get_filename_component(mpi_ending ${MPI_C_COMPILER} NAME)
if(mpi_ending MATCHES "^mpicc(.*)")
  set(mpi_ending "${CMAKE_MATCH_1}")
else()
  set(mpi_ending "")
endif()
function(comex_mpi_tool variable)  # comex_mpi_tool(variable name...)
  list(TRANSFORM ARGN APPEND "${mpi_ending}")
  find_program(${variable} NAMES ${ARGN} HINTS ${mpi_bin} NO_DEFAULT_PATH)
endfunction()
comex_mpi_tool(MPI_CXX_COMPILER mpicxx mpic++)
comex_mpi_tool(MPI_Fortran_COMPILER mpifort mpif90)
comex_mpi_tool(MPIEXEC_EXECUTABLE mpirun mpiexec)

set(MPI_DETERMINE_LIBRARY_VERSION ON)
find_package(MPI REQUIRED COMPONENTS C OPTIONAL_COMPONENTS CXX)
function(comex_mpi_of variable language)  # the first line of what the MPI of this language's wrapper says of itself
  string(REGEX REPLACE "[\r\n].*" "" said "${MPI_${language}_LIBRARY_VERSION_STRING}")
  string(REGEX REPLACE "[ \t]+" " " said "${said}")
  set(${variable} "${said}" PARENT_SCOPE)
endfunction()
comex_mpi_of(COMEX_MPI_LIBRARY C)
set(COMEX_MPI_KIND other)
string(REGEX MATCH "^[A-Za-z ]*" COMEX_MPI_FAMILY "${COMEX_MPI_LIBRARY}")
set(of_openmpi "^Open MPI")
set(of_mpich "MPICH|Intel.R. MPI")
foreach(kind openmpi mpich)
  if(COMEX_MPI_LIBRARY MATCHES "${of_${kind}}")
    set(COMEX_MPI_KIND ${kind})
    set(COMEX_MPI_FAMILY "${of_${kind}}")
  endif()
endforeach()
if(COMEX_MPI AND NOT COMEX_MPI STREQUAL COMEX_MPI_KIND)
  message(FATAL_ERROR "COMEX_MPI is ${COMEX_MPI}, but ${MPI_C_COMPILER} compiles for ${COMEX_MPI_LIBRARY}: install "
    "${COMEX_MPI}, or name its compiler by MPI_C_COMPILER")
endif()
message(STATUS "MPI: ${COMEX_MPI_LIBRARY} (${MPI_C_COMPILER})")

function(comex_demand_same_mpi language)  # the wrapper of this language is of C's MPI
  comex_mpi_of(found ${language})
  if(found AND NOT found STREQUAL COMEX_MPI_LIBRARY)
    message(FATAL_ERROR "C's MPI is ${COMEX_MPI_LIBRARY}, that of ${language} is ${found}: name compilers of one MPI by "
      "MPI_C_COMPILER and MPI_${language}_COMPILER")
  endif()
endfunction()
comex_demand_same_mpi(CXX)

# How distributions call what belongs to this MPI: the library of the packaged ARMCI, and pkg-config's module.
set(COMEX_PACKAGED_ARMCI armci-mpi)
set(COMEX_MPI_MODULE mpi-c)
if(COMEX_MPI_KIND STREQUAL openmpi)
  set(COMEX_PACKAGED_ARMCI armci-openmpi)
  set(COMEX_MPI_MODULE ompi-c)
elseif(COMEX_MPI_KIND STREQUAL mpich)
  set(COMEX_PACKAGED_ARMCI armci-mpich)
  set(COMEX_MPI_MODULE mpich)
endif()
# Whether tests may spawn and connect worlds: the MPICH that Debian 12 has (4.0 on UCX) refuses to.
set(spawns ON)
if(COMEX_MPI_KIND STREQUAL mpich AND COMEX_MPI_LIBRARY MATCHES " 4[.]0")
  set(spawns OFF)
endif()
option(COMEX_TEST_SPAWN "Test spawned and connected worlds" ${spawns})
string(REPLACE - _ COMEX_PACKAGED_COMPONENT ${COMEX_PACKAGED_ARMCI})

# Fortran's part is of the same MPI. COMEX_FORTRAN_MODULES, a folder of an install, is set where the module comex is built.
set(COMEX_MPI_HAS_FORTRAN OFF)
if((COMEX_TESTS OR COMEX_FORTRAN) AND MPI_Fortran_COMPILER)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
    set(COMEX_MPI_HAS_FORTRAN ${MPI_Fortran_FOUND})
    comex_demand_same_mpi(Fortran)
    if(COMEX_FORTRAN AND COMEX_MPI_HAS_FORTRAN AND NOT COMEX_SANITIZE)
      string(REGEX MATCH "^[0-9]+" major "${CMAKE_Fortran_COMPILER_VERSION}")
      set(COMEX_FORTRAN_MODULES ${CMAKE_INSTALL_INCLUDEDIR}/comex/fortran/${CMAKE_Fortran_COMPILER_ID}-${major})
    endif()
  endif()
endif()

set(COMEX_MPI_TOOLS ${CMAKE_BINARY_DIR}/mpi)
find_program(GA_CONFIG ga-config HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/ga/${COMEX_MPI_KIND}/bin NO_DEFAULT_PATH)
find_program(GA_CONFIG ga-config)
function(comex_mpi_name name tool)
  if(tool)
    file(CONFIGURE OUTPUT ${COMEX_MPI_TOOLS}/${name} CONTENT "#!/bin/sh\nexec \"${tool}\" \"$@\"\n" @ONLY)
    file(CHMOD ${COMEX_MPI_TOOLS}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
      WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()
comex_mpi_name(mpicc "${MPI_C_COMPILER}")
comex_mpi_name(mpicxx "${MPI_CXX_COMPILER}")
comex_mpi_name(mpifort "${MPI_Fortran_COMPILER}")
comex_mpi_name(mpirun "${MPIEXEC_EXECUTABLE}")
comex_mpi_name(ga-config "${GA_CONFIG}")
