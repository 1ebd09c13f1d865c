# Read by ctest, from a script of unitproof_discover_proofs that sets the variables used here: adds a test for each
# proof that "unitproof list" finds. If it finds none, or an error, a test with its output fails.

list(INSERT proofs_LABELS 0 unitproof)
set(list_command "${unitproof_EXECUTABLE}" list ${files})
execute_process(COMMAND ${list_command} --json WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  OUTPUT_VARIABLE listed RESULT_VARIABLE status ERROR_QUIET)
string(JSON count ERROR_VARIABLE wrong LENGTH "${listed}" proofs)
if(NOT status EQUAL 0 OR wrong)
  add_test("${proofs_PREFIX}unitproof-list" ${list_command})
  set_tests_properties("${proofs_PREFIX}unitproof-list" PROPERTIES LABELS "${proofs_LABELS}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endif()
if(wrong)
  set(count 0)
endif()

string(JSON root ERROR_VARIABLE wrong GET "${listed}" root)
set(index 0)
while(index LESS count)
  foreach(key IN ITEMS name file timeout)
    string(JSON ${key} GET "${listed}" proofs ${index} ${key})
  endforeach()
  math(EXPR index "${index} + 1")
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${root}")
  string(FIND "${path}" "${CMAKE_BINARY_DIR}/" position)
  if(position EQUAL 0 AND NOT files_named)
    continue() # of what the build downloaded
  endif()
  string(REGEX REPLACE "([][+.*()^$?|{}\\\\])" "\\\\\\1" pattern "${name}")
  set(test "${proofs_PREFIX}${name}")
  add_test("${test}" "${unitproof_EXECUTABLE}" check "${path}" --filter "^${pattern}$"
    --compile-commands "${CMAKE_BINARY_DIR}/compile_commands.json" ${proofs_FLAGS})
  # The limit of a proof is CPU time. ctest stops a test that takes much longer by the clock.
  if(proofs_TIMEOUT)
    set(timeout "${proofs_TIMEOUT}")
  else()
    math(EXPR timeout "60 + 4 * ${timeout}")
  endif()
  set_tests_properties("${test}" PROPERTIES LABELS "${proofs_LABELS}" TIMEOUT "${timeout}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endwhile()
