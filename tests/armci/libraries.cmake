# What the libraries show, what linking them takes, and that two flavours do not meet.
set(lib ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
foreach(name armci ${COMEX_PACKAGED_ARMCI})
  add_test(NAME armci.lib${name}_shows_its_interface_only COMMAND ${scripts}/shows ${lib}/lib${name}.so)
  list(APPEND library_tests armci.lib${name}_shows_its_interface_only)
endforeach()
if(TARGET armci_static)
  foreach(name armci ${COMEX_PACKAGED_ARMCI})
    add_test(NAME armci.static_lib${name}_shows_its_interface_only COMMAND ${scripts}/shows ${lib}/lib${name}.a)
    list(APPEND library_tests armci.static_lib${name}_shows_its_interface_only)
  endforeach()
  add_test(NAME armci.c_clients_of_the_static_libraries_need_mpi_only
    COMMAND ${scripts}/link_static ${lib} ${public})
  add_test(NAME armci.two_flavours_in_one_program_are_refused COMMAND ${scripts}/mixing ${lib} ${public})
  add_test(NAME armci.probes_of_global_arrays_find_what_they_look_for
    COMMAND ${scripts}/probes ${lib} ${public})
  list(APPEND library_tests armci.c_clients_of_the_static_libraries_need_mpi_only
    armci.two_flavours_in_one_program_are_refused armci.probes_of_global_arrays_find_what_they_look_for)
  add_test(NAME armci.installed_tree_serves_both_flavours
    COMMAND ${scripts}/installed ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND})
  list(APPEND library_tests armci.installed_tree_serves_both_flavours)
  if(ARMCI_DISTRIBUTED_LIBRARY)
    add_test(NAME armci.no_symbol_of_the_distributed_library_is_missing
      COMMAND ${scripts}/missing ${ARMCI_DISTRIBUTED_LIBRARY} ${lib}/lib${COMEX_PACKAGED_ARMCI}.a
              ${scripts}/not_interface.txt)
    list(APPEND library_tests armci.no_symbol_of_the_distributed_library_is_missing)
  endif()
endif()
set_tests_properties(${library_tests} PROPERTIES LABELS "armci" TIMEOUT 60)
