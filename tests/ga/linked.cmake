# How a program on Global Arrays is compiled and linked: with the compilers and the libraries that ga-config names.
# Sets GA_MISSING where something is not installed; GA_OURS, the options that put our ARMCI in front.
#
# ga_program(name front source...)    builds GA_FOLDER/<name> from .c files or a .F90 file and appends it to GA_BUILT
# ga_oracle(name front source...)     the same as oracle_<name>, for long tests
# ga_test(test program labels environment command...)    the command must end well and say "<program>: ok" once; or so of
#     each of GA_TOGETHER, where the program is `together`
find_path(GA_HEADERS ga.h)
set(GA_MISSING "")
if(NOT GA_CONFIG OR NOT GA_HEADERS)
  set(GA_MISSING "libglobalarrays-dev is not installed")
  return()
endif()
foreach(what cc f77 cflags fflags ldflags libs flibs)
  execute_process(COMMAND ${GA_CONFIG} --${what} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(ga_${what} UNIX_COMMAND "${said}")
endforeach()
find_program(GA_CC ${ga_cc})
find_program(GA_FORTRAN ${ga_f77})
if(NOT GA_CC OR NOT GA_FORTRAN)
  set(GA_MISSING "${ga_cc} or ${ga_f77} is not installed (lib${COMEX_MPI_KIND}-dev, gfortran)")
  return()
endif()
execute_process(COMMAND ${GA_FORTRAN} --version OUTPUT_QUIET ERROR_QUIET RESULT_VARIABLE no_fortran)
if(no_fortran)
  set(GA_MISSING "gfortran is not installed")
  return()
endif()
foreach(library blas lapack scalapack-${COMEX_MPI_KIND} ${COMEX_PACKAGED_ARMCI})
  find_library(GA_LIBRARY_${library} ${library})
  if(NOT GA_LIBRARY_${library})
    set(GA_MISSING "the library ${library} is not installed (libblas-dev, liblapack-dev, \
libscalapack-${COMEX_MPI_KIND}-dev, libarmci-mpi-dev)")
    return()
  endif()
endforeach()

set(GA_FOLDER ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/ga)
set(GA_BUILT "")
set(GA_OURS -L${CMAKE_LIBRARY_OUTPUT_DIRECTORY} -Wl,-rpath,${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
file(MAKE_DIRECTORY ${GA_FOLDER})

function(ga_program name front)
  set(libraries ${front} ${ga_ldflags} ${ga_libs} ${ga_flibs})
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/${name}.modules)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  if(ARGN MATCHES "[.]c(;|$)")
    set(shared ${CMAKE_CURRENT_SOURCE_DIR}/ga_test.h)
    set(compile ${GA_CC} -std=gnu99 -O1 -g -Wall -Wextra ${ga_cflags})
    if(COMEX_WERROR)
      list(APPEND compile -Werror)
    endif()
  else()
    # One name serves every type, which Fortran's compiler calls a mismatch.
    set(shared ${CMAKE_CURRENT_SOURCE_DIR}/ga_test.F90)
    set(compile ${GA_FORTRAN} -O1 -g -w -fallow-argument-mismatch -I${GA_HEADERS} -J${modules} ${ga_fflags})
  endif()
  add_custom_command(OUTPUT ${GA_FOLDER}/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${modules}
    COMMAND ${compile} -o ${GA_FOLDER}/${name} ${files} ${libraries}
    DEPENDS ${files} ${shared} armci_packaged_shared
    COMMENT "Linking bin/ga/${name} with Global Arrays" VERBATIM)
  set(GA_BUILT ${GA_BUILT} ${GA_FOLDER}/${name} PARENT_SCOPE)
endfunction()

function(ga_oracle name front)
  if(COMEX_LONG_TESTS)
    ga_program(oracle_${name} "${front}" ${ARGN})
    set(GA_BUILT ${GA_BUILT} PARENT_SCOPE)
  endif()
endfunction()

# As comex_add_mpi_test and comex_add_host_test; the command is COMEX_LAUNCH's or COMEX_ON_HOSTS' and what follows them.
function(ga_test test program labels environment)
  set(names ${program})
  if(program STREQUAL together)
    string(REPLACE ";" " " names "${GA_TOGETHER}")
  endif()
  add_test(NAME ga.${program}.${test} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/says_ok ${names} ${ARGN})
  comex_processors(6)
  if("${COMEX_LAUNCH}" IN_LIST ARGN)
    list(GET ARGN 2 ranks)
    comex_processors(${ranks})
  endif()
  set_tests_properties(ga.${program}.${test} PROPERTIES LABELS "ga;${labels}" TIMEOUT 115 PROCESSORS ${processors}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
endfunction()
