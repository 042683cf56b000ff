# COMEX_PCH: parse the headers that most files include once. The sanitizer presets use it.
option(COMEX_PCH "Precompile common headers" OFF)
if(COMEX_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(comex_pch_rooms STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(comex_pch_rooms PRIVATE
    <algorithm> <array> <atomic> <charconv> <chrono> <cstring> <deque> <functional> <memory> <mutex> <optional> <span>
    <string> <thread> <unordered_map> <utility> <variant> <vector>)
  target_compile_options(comex_pch_rooms PRIVATE -fpch-preprocess $<$<BOOL:${COMEX_FUZZ}>:-fsanitize=fuzzer-no-link>)
  target_link_libraries(comex_pch_rooms PRIVATE comex_flags)
  if(COMEX_TESTS)
    add_library(comex_pch_tests STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_precompile_headers(comex_pch_tests PRIVATE <gtest/gtest.h> <thread> <random>)
    set_target_properties(comex_pch_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as programs have it
    target_compile_options(comex_pch_tests PRIVATE -fpch-preprocess -fPIE)
    target_link_libraries(comex_pch_tests PRIVATE comex_flags GTest::gtest)
  endif()
endif()

function(comex_precompile target kind)  # kind: rooms or tests
  if(COMEX_PCH)
    target_precompile_headers(${target} REUSE_FROM comex_pch_${kind})
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()
