# Every prototype of both flavours, in C99 and C++20; the packaged one against the distribution's headers as well.
foreach(language c cpp)
  armci_client(armci_prototypes_comex_${language} armci_shared prototypes_comex.${language})
  armci_client(armci_prototypes_packaged_${language} armci_packaged_shared prototypes_packaged.${language})
  foreach(flavour comex packaged)
    target_compile_definitions(armci_prototypes_${flavour}_${language} PRIVATE OMPI_SKIP_MPICXX=1)
    add_test(NAME armci.${flavour}_prototypes_in_${language}
      COMMAND armci_prototypes_${flavour}_${language})
    list(APPEND header_tests armci.${flavour}_prototypes_in_${language})
  endforeach()
endforeach()
if(ARMCI_DISTRIBUTED_HEADER)
  add_test(NAME armci.packaged_types_are_those_of_the_distribution
    COMMAND ${scripts}/same_as_distributed ${CMAKE_C_COMPILER} ${packaged_headers} ${ARMCI_DISTRIBUTED_HEADER})
  list(APPEND header_tests armci.packaged_types_are_those_of_the_distribution)
else()
  message(STATUS "Without libarmci-mpi-dev: the packaged headers are not compared with the distribution's")
endif()
set_tests_properties(${header_tests} PROPERTIES LABELS "armci" TIMEOUT 60)
