# The accumulate loops are one source compiled for several instruction sets; kernels/accumulate.cpp
# chooses at run time. Contraction is off so that all of them give the same bits, and -O3 stands
# behind the build type's own level because -O2 is several times slower here.
set(kernel_flags -O3 -ffp-contract=off)
set(baseline_flags)
set(avx2_flags)
set(avx512_flags)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(avx2_flags -mavx2)
  set(avx512_flags -mavx512f -mavx512dq -mavx512bw -mavx512vl)
endif()
foreach(isa baseline avx2 avx512)
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/accumulate_${isa}.cpp
    PROPERTIES COMPILE_OPTIONS "${kernel_flags};${${isa}_flags}")
endforeach()
