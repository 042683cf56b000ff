# Which MPI is built with, and its tools under their plain names.
#
# COMEX_MPI names one of Debian's two, or is empty: then it is that of MPI_C_COMPILER, or of the first mpicc in PATH.
# Sets COMEX_MPI_KIND (openmpi, mpich, or other), COMEX_MPI_LIBRARY (what the library says of itself, its first line),
# the names of what distributions package for it, and COMEX_MPI_TOOLS, a folder with mpirun, mpicc, mpicxx, mpifort and ga-config of this MPI, whatever the system's
# alternatives are. Tests find it first in their PATH.
set(COMEX_MPI "" CACHE STRING "openmpi or mpich; empty: the MPI of MPI_C_COMPILER, or the first in PATH")
set_property(CACHE COMEX_MPI PROPERTY STRINGS "" openmpi mpich)

# Where mpicc has an ending or a folder of its own, the others have the same.
if(COMEX_MPI)
  find_program(MPI_C_COMPILER NAMES mpicc.${COMEX_MPI} mpicc)
else()
  find_program(MPI_C_COMPILER NAMES mpicc)
endif()
if(NOT MPI_C_COMPILER)
  message(FATAL_ERROR "There is no mpicc${COMEX_MPI}: install an MPI (libopenmpi-dev or libmpich-dev), or name its "
    "compiler by MPI_C_COMPILER")
endif()
get_filename_component(mpi_bin ${MPI_C_COMPILER} DIRECTORY)
get_filename_component(mpi_ending ${MPI_C_COMPILER} NAME)
string(REGEX REPLACE "^mpicc" "" mpi_ending "${mpi_ending}")
function(comex_mpi_tool variable)  # comex_mpi_tool(variable name...)
  list(TRANSFORM ARGN APPEND "${mpi_ending}")
  find_program(${variable} NAMES ${ARGN} HINTS ${mpi_bin} NO_DEFAULT_PATH)
endfunction()
comex_mpi_tool(MPI_CXX_COMPILER mpicxx mpic++)
comex_mpi_tool(MPI_Fortran_COMPILER mpifort mpif90)
comex_mpi_tool(MPIEXEC_EXECUTABLE mpirun mpiexec)

set(MPI_DETERMINE_LIBRARY_VERSION ON)
find_package(MPI REQUIRED COMPONENTS C)
string(REGEX REPLACE "[\r\n].*" "" COMEX_MPI_LIBRARY "${MPI_C_LIBRARY_VERSION_STRING}")
string(REGEX REPLACE "[ \t]+" " " COMEX_MPI_LIBRARY "${COMEX_MPI_LIBRARY}")
set(COMEX_MPI_KIND other)
if(COMEX_MPI_LIBRARY MATCHES "^Open MPI")
  set(COMEX_MPI_KIND openmpi)
elseif(COMEX_MPI_LIBRARY MATCHES "MPICH|Intel.R. MPI")
  set(COMEX_MPI_KIND mpich)
endif()
if(COMEX_MPI AND NOT COMEX_MPI STREQUAL COMEX_MPI_KIND)
  message(FATAL_ERROR "COMEX_MPI is ${COMEX_MPI}, but ${MPI_C_COMPILER} compiles for ${COMEX_MPI_LIBRARY}: install "
    "${COMEX_MPI}, or name its compiler by MPI_C_COMPILER")
endif()
message(STATUS "MPI: ${COMEX_MPI_LIBRARY} (${MPI_C_COMPILER})")

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
option(COMEX_TEST_SPAWN "Test spawned and connected worlds" ON)
if(COMEX_MPI_KIND STREQUAL mpich AND COMEX_MPI_LIBRARY MATCHES " 4[.]0")
  set(COMEX_TEST_SPAWN OFF)
endif()
string(REPLACE - _ COMEX_PACKAGED_COMPONENT ${COMEX_PACKAGED_ARMCI})

# Fortran's part is of the same MPI, or left out.
set(COMEX_MPI_HAS_FORTRAN OFF)
if(COMEX_TESTS AND MPI_Fortran_COMPILER)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    find_package(MPI COMPONENTS Fortran)
    set(COMEX_MPI_HAS_FORTRAN ${MPI_Fortran_FOUND})
    string(REGEX REPLACE "[\r\n].*" "" of_fortran "${MPI_Fortran_LIBRARY_VERSION_STRING}")
    string(REGEX REPLACE "[ \t]+" " " of_fortran "${of_fortran}")
    if(of_fortran AND NOT of_fortran STREQUAL COMEX_MPI_LIBRARY)
      message(FATAL_ERROR "C's MPI is ${COMEX_MPI_LIBRARY}, Fortran's is ${of_fortran}: name compilers of one MPI by "
        "MPI_C_COMPILER and MPI_Fortran_COMPILER")
    endif()
  endif()
endif()

set(COMEX_MPI_TOOLS ${CMAKE_BINARY_DIR}/mpi)
find_program(GA_CONFIG ga-config HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/ga/${COMEX_MPI_KIND}/bin NO_DEFAULT_PATH)
find_program(GA_CONFIG ga-config)
function(comex_mpi_name name tool)
  if(tool)
    file(CONFIGURE OUTPUT ${COMEX_MPI_TOOLS}/${name} CONTENT "#!/bin/sh\nexec ${tool} \"$@\"\n" @ONLY)
    file(CHMOD ${COMEX_MPI_TOOLS}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
      WORLD_READ WORLD_EXECUTE)
  endif()
endfunction()
comex_mpi_name(mpicc "${MPI_C_COMPILER}")
comex_mpi_name(mpicxx "${MPI_CXX_COMPILER}")
comex_mpi_name(mpifort "${MPI_Fortran_COMPILER}")
comex_mpi_name(mpirun "${MPIEXEC_EXECUTABLE}")
comex_mpi_name(ga-config "${GA_CONFIG}")
