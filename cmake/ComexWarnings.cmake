# One target that carries the warnings and sanitizers every target of ours is built with.
add_library(comex_flags INTERFACE)
target_compile_options(comex_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wcast-align -Wundef -Wformat=2
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Wextra-semi>
  # gcc 12 reports overlaps that are not there in every "text" + std::string.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${COMEX_WERROR}>:-Werror>)
# Without the long dead C++ bindings, which would need a library of their own.
target_compile_definitions(comex_flags INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
if(COMEX_SANITIZE)
  # What gcc derives from the flow of instrumented code is often not there; the plain build is the judge of it.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(comex_flags INTERFACE -Wno-error=array-bounds -Wno-error=maybe-uninitialized
      -Wno-error=stringop-overflow -Wno-error=stringop-overread -Wno-error=tsan)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Of merged files clang compares a local name with those of all the others.
    target_compile_options(comex_flags INTERFACE -Wno-shadow)
    # What gcc defines by itself.
    string(REGEX MATCH "^[a-z]+" of "${COMEX_SANITIZE}")
    string(TOUPPER ${of} of)
    target_compile_definitions(comex_flags INTERFACE __SANITIZE_${of}__=1)
  endif()
  # A finding of any sanitizer ends the program, so that the test fails.
  target_compile_options(comex_flags INTERFACE -fsanitize=${COMEX_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(comex_flags INTERFACE -fsanitize=${COMEX_SANITIZE})
endif()
# The coverage preset: processes that end without exit() leave their counts too. Each library has counts of its own.
if(CMAKE_CXX_FLAGS MATCHES "--coverage" AND COMEX_TESTS)
  add_library(comex_keep_counts STATIC ${CMAKE_SOURCE_DIR}/tests/coverage/keep_counts.c
    ${CMAKE_SOURCE_DIR}/tests/coverage/keep_counts_mpi.c)
  set_target_properties(comex_keep_counts PROPERTIES UNITY_BUILD OFF C_VISIBILITY_PRESET default)
  target_link_libraries(comex_keep_counts PRIVATE MPI::MPI_C)
  target_link_libraries(comex_flags INTERFACE $<BUILD_INTERFACE:comex_keep_counts>)
  target_link_options(comex_flags INTERFACE
    LINKER:--wrap=_exit,--wrap=_Exit,--wrap=PMPI_Abort,--undefined=comex_keep_counts_of_each)
endif()
