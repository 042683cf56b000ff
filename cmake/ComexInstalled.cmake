# What `cmake --install` needs: the target `installed` builds it all, and the first step of an install looks whether it is
# there, so that nothing is installed by halves. (CMake breaks the lines of a message that does not begin with a blank.)
function(comex_installed target file)
  set_property(GLOBAL APPEND PROPERTY COMEX_INSTALLED_TARGETS ${target})
  set_property(GLOBAL APPEND PROPERTY COMEX_INSTALLED_FILES ${file})
endfunction()

set(script ${CMAKE_BINARY_DIR}/installed.cmake)
install(SCRIPT ${script} ALL_COMPONENTS)  # before the rules of the folders that follow

# Called when all folders have been read.
function(comex_finish_installed)
  get_property(targets GLOBAL PROPERTY COMEX_INSTALLED_TARGETS)
  get_property(files GLOBAL PROPERTY COMEX_INSTALLED_FILES)
  if(NOT targets)
    set(targets "")
  endif()
  add_custom_target(installed DEPENDS ${targets})
  list(TRANSFORM files REPLACE "(.+)" "\"\\1\"")  # a path may have a blank
  list(JOIN files " " files)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/installed.cmake CONTENT "foreach(file IN ITEMS ${files})
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \" \${file} is not built yet; first: cmake --build ${CMAKE_BINARY_DIR} --target installed\")
  endif()
endforeach()
")
endfunction()
