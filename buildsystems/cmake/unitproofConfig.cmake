# find_package(unitproof): the program, and unit proofs as tests of ctest. See docs/buildsystems.md.
#
#   unitproof_EXECUTABLE   the program
#   unitproof_INCLUDE_DIR  the folder of unitproof.h
#
#   unitproof_add_proof(NAME name SOURCES proof.c [more.c...]
#                       [LINK_LIBRARIES target...] [ENTRY function] [LABELS label...] [TIMEOUT seconds]
#                       [FLAGS flag...])
#
# The first of SOURCES holds the proof. The others are linked with it; where there are none, the files of the project
# that define what the proof calls are found by themselves, in LINK_LIBRARIES and in what compile_commands.json has
# besides. The proof is compiled as a file of a library that is linked with LINK_LIBRARIES would be: with their folders
# of headers, their definitions. FLAGS are those of "unitproof check", like "--unwind 8". ctest fails unless the proof
# is proved, or as unitproof.toml expects it.
#
# The library is there for compile_commands.json, which ctest and editors read. It is never built.
#
#   unitproof_discover_proofs([FILES file.c | folder...]
#                             [PREFIX text] [LABELS label...] [TIMEOUT seconds] [FLAGS flag...])
#
# A test for each proof that "unitproof list" finds when ctest starts: in FILES, or in the whole project. A new proof
# needs no line in CMakeLists.txt and no new configuration.
#
# Every test has the label "unitproof". TIMEOUT is of the time on the clock; discovered tests have one that leaves the
# proof its own limit of CPU time.

if(CMAKE_VERSION VERSION_LESS 3.12)
  message(FATAL_ERROR "unitproof needs CMake 3.12 or newer")
endif()

get_filename_component(_unitproof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# The program of the same package comes before another one in PATH.
find_program(unitproof_EXECUTABLE unitproof PATHS "${_unitproof_prefix}/bin" NO_DEFAULT_PATH)
find_program(unitproof_EXECUTABLE unitproof)
find_path(unitproof_INCLUDE_DIR unitproof.h PATHS "${_unitproof_prefix}/include" NO_DEFAULT_PATH)
find_path(unitproof_INCLUDE_DIR unitproof.h)
unset(_unitproof_prefix)
mark_as_advanced(unitproof_EXECUTABLE unitproof_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(unitproof REQUIRED_VARS unitproof_EXECUTABLE unitproof_INCLUDE_DIR)

set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # of what follows in the project
set(_unitproof_discovery "${CMAKE_CURRENT_LIST_DIR}/unitproofDiscovery.cmake")

function(unitproof_add_proof)
  cmake_parse_arguments(PARSE_ARGV 0 proof "" "NAME;ENTRY;TIMEOUT" "SOURCES;LINK_LIBRARIES;LABELS;FLAGS")
  foreach(needed NAME SOURCES)
    if(NOT proof_${needed})
      message(FATAL_ERROR "unitproof_add_proof: ${needed} is missing")
    endif()
  endforeach()
  if(proof_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unitproof_add_proof(NAME ${proof_NAME}): what is \"${proof_UNPARSED_ARGUMENTS}\"?")
  endif()

  set(target "unitproof-${proof_NAME}")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${proof_SOURCES})
  target_include_directories(${target} SYSTEM PRIVATE "${unitproof_INCLUDE_DIR}")
  if(proof_LINK_LIBRARIES)
    target_link_libraries(${target} PRIVATE ${proof_LINK_LIBRARIES})
  endif()
  # Before CMake 3.20 the variable alone decides.
  foreach(listed IN ITEMS ${target} LISTS proof_LINK_LIBRARIES)
    if(TARGET ${listed})
      get_target_property(type ${listed} TYPE)
      get_target_property(imported ${listed} IMPORTED)
      if(NOT imported AND NOT type STREQUAL "INTERFACE_LIBRARY")
        set_target_properties(${listed} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
      endif()
    endif()
  endforeach()

  set(command "${unitproof_EXECUTABLE}" check)
  set(files "")
  foreach(source IN LISTS proof_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    list(APPEND files "${path}")
  endforeach()
  list(GET files 0 file)
  list(REMOVE_AT files 0)
  list(APPEND command "${file}")
  foreach(path IN LISTS files)
    list(APPEND command --source "${path}")
  endforeach()
  if(proof_ENTRY)
    list(APPEND command --entry "${proof_ENTRY}")
  endif()
  # What ctest runs must not depend on where a proof would look for the file.
  list(APPEND command --compile-commands "${CMAKE_BINARY_DIR}/compile_commands.json" ${proof_FLAGS})
  add_test(NAME "${proof_NAME}" COMMAND ${command} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  list(INSERT proof_LABELS 0 unitproof)
  set_tests_properties("${proof_NAME}" PROPERTIES LABELS "${proof_LABELS}")
  if(proof_TIMEOUT)
    set_tests_properties("${proof_NAME}" PROPERTIES TIMEOUT "${proof_TIMEOUT}")
  endif()
endfunction()

function(unitproof_discover_proofs)
  cmake_parse_arguments(PARSE_ARGV 0 proofs "" "PREFIX;TIMEOUT" "FILES;LABELS;FLAGS")
  if(proofs_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unitproof_discover_proofs: what is \"${proofs_UNPARSED_ARGUMENTS}\"?")
  endif()
  if(CMAKE_VERSION VERSION_LESS 3.19)
    message(FATAL_ERROR "unitproof_discover_proofs needs CMake 3.19 or newer")
  endif()
  set(files "${PROJECT_SOURCE_DIR}")
  if(proofs_FILES)
    set(files "")
  endif()
  foreach(file IN LISTS proofs_FILES)
    get_filename_component(path "${file}" ABSOLUTE)
    if(NOT EXISTS "${path}")
      message(FATAL_ERROR "unitproof_discover_proofs: there is no ${path}")
    endif()
    list(APPEND files "${path}")
  endforeach()
  get_property(included DIRECTORY PROPERTY TEST_INCLUDE_FILES)
  list(LENGTH included number)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/unitproof-discovery-${number}.cmake")
  set(text "# Read by ctest: a test for each proof that there is then.\n")
  set(files_named "${proofs_FILES}")
  foreach(variable IN ITEMS files files_named proofs_PREFIX proofs_TIMEOUT proofs_LABELS proofs_FLAGS
      unitproof_EXECUTABLE PROJECT_SOURCE_DIR CMAKE_BINARY_DIR)
    string(APPEND text "set(${variable} [==[${${variable}}]==])\n")
  endforeach()
  file(WRITE "${script}" "${text}include([==[${_unitproof_discovery}]==])\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
