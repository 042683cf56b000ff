# Compares docs/settings.md with what comex_info writes now.
execute_process(COMMAND ${PROGRAM} --settings-markdown OUTPUT_VARIABLE now RESULT_VARIABLE code)
file(READ ${PAGE} page)
if(NOT code EQUAL 0 OR NOT now STREQUAL page)
  message(FATAL_ERROR "docs/settings.md is stale: run comex_info --settings-markdown > docs/settings.md")
endif()
