# comex_man_page(name description file-or-target...): the manual page of an installed program, from its own --help by
# help2man, and made anew when one of the files changes. Left out where there is no help2man.
find_program(COMEX_HELP2MAN help2man)
if(NOT COMEX_HELP2MAN)
  message(STATUS "Without help2man: the programs have no manual pages")
endif()
function(comex_man_page name description)
  if(NOT COMEX_HELP2MAN)
    return()
  endif()
  set(page ${CMAKE_BINARY_DIR}/man/${name}.1)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/man
    COMMAND ${COMEX_HELP2MAN} --no-info --name=${description} --version-string=${PROJECT_VERSION} --source=ComEx-PR
            --manual=ComEx-PR --output=${page} ./${name}
    WORKING_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}  # help2man gives the program's path to a shell, blanks and all
    DEPENDS ${ARGN} COMMENT "Writing the manual page of ${name}" VERBATIM)
  add_custom_target(${name}_man ALL DEPENDS ${page})
  comex_installed(${name}_man ${page})
  set(component runtime)
  if(name MATCHES config)
    set(component development)
  endif()
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
