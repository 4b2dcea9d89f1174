# Registration of tests.
#
#   quire_add_test(NAME x SOURCES a.cpp ... [LABELS ...] [LIBRARIES ...] [TIMEOUT 60])
#       A serial GoogleTest program; every case becomes one ctest named x.Suite.Case.
#
#   quire_add_mpi_test(NAME x SOURCES a.cpp ... RANKS 1 2 3 4
#                      [NIGHTLY_RANKS 5 7] [TRANSPORTS posix mpi_independent ...] [NIGHTLY_TRANSPORTS ...]
#                      [LABELS ...] [LIBRARIES ...] [TIMEOUT 60])
#       A GoogleTest program built once and started once for each number of ranks (and transport), as ctest
#       x.ranks3 or x.ranks3.posix. Its main function is in the library quire_test_main. A build without MPI
#       registers the runs on one rank only, and of the transports those that need no MPI.
#
#   quire_add_test_library(NAME a.cpp ...)
#       What several programs share: compiled once, and with the optimisation of tests.
#
# What a test finds in its environment:
#
#   QUIRE_TEST_RANKS        the world size, asserted by the main function
#   QUIRE_TEST_TRANSPORT    the transport to use, where TRANSPORTS was given
#   QUIRE_TEST_DIRECTORY    an existing folder to write to; no two MPI runs share one, but the cases of a serial
#                           program do: put the name of the test case into the file name
#   QUIRE_TEST_DATA         tests/data in the source tree

find_package(GTest REQUIRED)
include(GoogleTest)

# Every transport. The name of one that needs MPI begins with mpi_.
set(QUIRE_TRANSPORTS posix mpi_independent mpi_collective aggregated)
# Of those, the ones that most tests use by night only, and the others.
set(QUIRE_NIGHTLY_TRANSPORTS mpi_independent)
set(QUIRE_DAILY_TRANSPORTS ${QUIRE_TRANSPORTS})
list(REMOVE_ITEM QUIRE_DAILY_TRANSPORTS ${QUIRE_NIGHTLY_TRANSPORTS})

function(_quire_set_test_target name)
  set_target_properties(${name} PROPERTIES QUIRE_IS_TEST ON)
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${name} PRIVATE quire_flags quire_dependencies)
endfunction()

# What every test includes, compiled once for all programs.
if(QUIRE_UNITY)
  file(CONFIGURE OUTPUT quire_test_headers.cpp CONTENT "")
  add_library(quire_test_headers OBJECT "${CMAKE_CURRENT_BINARY_DIR}/quire_test_headers.cpp")
  _quire_set_test_target(quire_test_headers)
  # As programs are compiled.
  set_target_properties(quire_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(quire_test_headers PRIVATE ${CMAKE_CXX_COMPILE_OPTIONS_PIE})
  target_link_libraries(quire_test_headers PRIVATE quire::quire GTest::gtest)
  target_precompile_headers(quire_test_headers PRIVATE <gtest/gtest.h> <algorithm> <filesystem> <vector>
                            "${PROJECT_SOURCE_DIR}/include/quire/quire.hpp")
endif()

function(_quire_test_program name sources libraries)
  add_executable(${name} ${sources})
  _quire_set_test_target(${name})
  target_link_libraries(${name} PRIVATE ${libraries} quire::quire GTest::gtest)
  if(QUIRE_UNITY)
    target_precompile_headers(${name} REUSE_FROM quire_test_headers)
  endif()
endfunction()

function(quire_add_test_library name)
  add_library(${name} STATIC ${ARGN})
  _quire_set_test_target(${name})
  target_link_libraries(${name} PUBLIC quire::quire GTest::gtest)
endfunction()

# The environment of a run as a list of NAME=value.
function(_quire_test_environment result directory)
  file(MAKE_DIRECTORY "${directory}")
  set(environment "QUIRE_TEST_DIRECTORY=${directory}" "QUIRE_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/data" ${ARGN})
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# The seconds of TIMEOUT, or 60. Sanitized programs, of little optimisation, take a multiple of the time.
function(_quire_time_limit seconds)
  if(NOT ${seconds})
    set(${seconds} 60)
  endif()
  if(QUIRE_SANITIZE)
    math(EXPR ${seconds} "4 * ${${seconds}}")
  endif()
  set(${seconds} ${${seconds}} PARENT_SCOPE)
endfunction()

function(quire_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;TIMEOUT" "SOURCES;LABELS;LIBRARIES")
  _quire_time_limit(test_TIMEOUT)
  _quire_test_program("${test_NAME}" "${test_SOURCES}" "GTest::gtest_main;${test_LIBRARIES}")
  _quire_test_environment(environment "${CMAKE_CURRENT_BINARY_DIR}/run/${test_NAME}")
  gtest_discover_tests(${test_NAME} TEST_PREFIX "${test_NAME}." TEST_LIST discovered_${test_NAME} DISCOVERY_TIMEOUT 60)
  # gtest_discover_tests flattens lists among its PROPERTIES, so the properties are set by a file that ctest reads
  # after the one with the discovered cases.
  set(properties "${CMAKE_CURRENT_BINARY_DIR}/${test_NAME}_properties.cmake")
  file(
    CONFIGURE
    OUTPUT "${properties}"
    @ONLY
    CONTENT
      [[foreach(case IN LISTS discovered_@test_NAME@)
  set_tests_properties("${case}" PROPERTIES TIMEOUT @test_TIMEOUT@ LABELS "serial;@test_LABELS@" ENVIRONMENT "@environment@")
endforeach()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${properties}")
endfunction()

# Starts the program of an MPI test once: one ctest.
function(_quire_add_mpi_run name program ranks timeout labels environment)
  if(QUIRE_MPI)
    add_test(NAME ${name} COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} $<TARGET_FILE:${program}>)
    # The starter ends its ranks itself and says so; ctest's own limit comes later and catches the starter.
    list(APPEND environment "MPIEXEC_TIMEOUT=${timeout}" "GTEST_COLOR=no")
    if(QUIRE_SANITIZE)
      # MPI libraries leak by design, through modules that are gone when the report is made, so they cannot be
      # suppressed by name. Leaks of ours are caught by the serial tests.
      list(APPEND environment "ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:detect_stack_use_after_return=1")
    endif()
    if(QUIRE_MPI_FLAVOUR STREQUAL "openmpi")
      list(
        APPEND
        environment
        # OMPIO of Open MPI 4.1 predates fixes of wrong data.
        OMPI_MCA_io=romio321
        OMPI_ALLOW_RUN_AS_ROOT=1
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        OMPI_MCA_rmaps_base_oversubscribe=1
        OMPI_MCA_hwloc_base_binding_policy=none
        OMPI_MCA_mpi_yield_when_idle=1
        # Containers forbid the system call that the default uses.
        OMPI_MCA_btl_vader_single_copy_mechanism=none)
    endif()
  else()
    add_test(NAME ${name} COMMAND ${program})
  endif()
  math(EXPR backstop "${timeout} + 15")
  set_tests_properties(
    ${name}
    PROPERTIES TIMEOUT ${backstop}
               PROCESSORS ${ranks}
               SKIP_RETURN_CODE 77
               LABELS "${labels}"
               ENVIRONMENT "${environment}")
endfunction()

function(quire_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;TIMEOUT"
                        "SOURCES;RANKS;NIGHTLY_RANKS;TRANSPORTS;NIGHTLY_TRANSPORTS;LABELS;LIBRARIES")
  _quire_time_limit(test_TIMEOUT)
  list(APPEND test_TRANSPORTS ${test_NIGHTLY_TRANSPORTS})
  if(NOT QUIRE_MPI)
    list(FILTER test_RANKS INCLUDE REGEX "^1$")
    list(FILTER test_NIGHTLY_RANKS INCLUDE REGEX "^1$")
    if(test_TRANSPORTS)
      list(FILTER test_TRANSPORTS EXCLUDE REGEX "^mpi_")
      if(NOT test_TRANSPORTS)
        return()
      endif()
    endif()
  endif()

  _quire_test_program("${test_NAME}" "${test_SOURCES}" "quire_test_main;${test_LIBRARIES}")
  foreach(ranks IN LISTS test_RANKS test_NIGHTLY_RANKS)
    # A dash means a test without transports.
    set(transports "${test_TRANSPORTS}")
    if(NOT transports)
      set(transports "-")
    endif()
    foreach(transport IN LISTS transports)
      set(labels mpi ${test_LABELS})
      if(ranks IN_LIST test_NIGHTLY_RANKS OR transport IN_LIST test_NIGHTLY_TRANSPORTS)
        list(APPEND labels nightly)
      endif()
      set(run "${test_NAME}.ranks${ranks}")
      set(variables "QUIRE_TEST_RANKS=${ranks}")
      if(NOT transport STREQUAL "-")
        string(APPEND run ".${transport}")
        list(APPEND variables "QUIRE_TEST_TRANSPORT=${transport}")
      endif()
      _quire_test_environment(environment "${CMAKE_CURRENT_BINARY_DIR}/run/${run}" ${variables})
      _quire_add_mpi_run("${run}" "${test_NAME}" ${ranks} ${test_TIMEOUT} "${labels}" "${environment}")
    endforeach()
  endforeach()
endfunction()
