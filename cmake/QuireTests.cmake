# Registration of tests.
#
#   quire_add_test(NAME x SOURCES a.cpp ... [LABELS ...] [LIBRARIES ...] [TIMEOUT 60])
#       A serial GoogleTest program. Every source a_test.cpp becomes one ctest named x.a_test, or x if there are no
#       others. A program for a whole folder is compiled in less than half of the time of one for each source, since its
#       sources share what templates generate; each has a namespace of its own, quire::a_test.
#
#   quire_add_mpi_test(NAME x SOURCES a.cpp ... RANKS 1 2 3 4
#                      [NIGHTLY_RANKS 5 7] [TRANSPORTS posix mpi_independent ...] [NIGHTLY_TRANSPORTS ...]
#                      [LABELS ...] [LIBRARIES ...] [TIMEOUT 60])
#       A GoogleTest program built once and started once for each number of ranks (and transport), as ctest
#       x.ranks3 or x.ranks3.posix. Its main function is in the library quire_test_main. A build without MPI
#       registers the runs on one rank only, and of the transports those that need no MPI.
#
#   quire_add_mpi_program(NAME p SOURCES x.cpp y.cpp ... [LIBRARIES ...])
#   quire_add_mpi_test(NAME x PROGRAM p RANKS ...)
#       The same for several tests in one program: x is the tests of the source x.cpp, started as p.x.ranks3.
#
#   quire_add_test_library(NAME a.cpp ...)
#       What several programs share: compiled once, and with the optimisation of tests.
#
# What a test finds in its environment:
#
#   QUIRE_TEST_RANKS        the world size, asserted by the main function
#   QUIRE_TEST_TRANSPORT    the transport to use, where TRANSPORTS was given
#   QUIRE_TEST_SOURCE       the source whose tests run, of a program of several tests
#   QUIRE_TEST_DIRECTORY    an existing folder to write to, which no other run shares; the cases of a run do
#   QUIRE_TEST_DATA         tests/data in the source tree

find_package(GTest REQUIRED)

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
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${QUIRE_UNITY_SIZE})
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
  _quire_test_program("${test_NAME}" "${test_SOURCES}" "quire_test_serial_main;${test_LIBRARIES}")
  set(tests ${test_SOURCES})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(LENGTH tests count)
  foreach(source IN LISTS tests)
    set(run ${test_NAME})
    if(count GREATER 1)
      string(REGEX REPLACE "\\.cpp$" "" case ${source})
      set(run ${test_NAME}.${case})
    endif()
    _quire_test_environment(environment "${CMAKE_CURRENT_BINARY_DIR}/run/${run}" "QUIRE_TEST_SOURCE=${source}")
    add_test(NAME ${run} COMMAND ${test_NAME})
    set_tests_properties(${run} PROPERTIES TIMEOUT ${test_TIMEOUT}
                                           COST ${test_TIMEOUT} # long ones begin first
                                           SKIP_RETURN_CODE 77
                                           LABELS "serial;${test_LABELS}"
                                           ENVIRONMENT "${environment}")
  endforeach()
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
               COST ${timeout}
               SKIP_RETURN_CODE 77
               LABELS "${labels}"
               ENVIRONMENT "${environment}")
endfunction()

# The sources of programs of several tests that no test is registered for yet, as p.x_test.cpp.
define_property(GLOBAL PROPERTY QUIRE_IDLE_TESTS)

function(quire_require_all_tests)
  get_property(idle GLOBAL PROPERTY QUIRE_IDLE_TESTS)
  if(idle)
    message(FATAL_ERROR "no quire_add_mpi_test starts these sources: ${idle}")
  endif()
endfunction()

function(quire_add_mpi_program)
  cmake_parse_arguments(PARSE_ARGV 0 program "" "NAME" "SOURCES;LIBRARIES")
  _quire_test_program("${program_NAME}" "${program_SOURCES}" "quire_test_main;${program_LIBRARIES}")
  list(FILTER program_SOURCES INCLUDE REGEX "_test\\.cpp$")
  list(TRANSFORM program_SOURCES PREPEND ${program_NAME}.)
  set_property(GLOBAL APPEND PROPERTY QUIRE_IDLE_TESTS ${program_SOURCES})
endfunction()

function(quire_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;PROGRAM;TIMEOUT"
                        "SOURCES;RANKS;NIGHTLY_RANKS;TRANSPORTS;NIGHTLY_TRANSPORTS;LABELS;LIBRARIES")
  _quire_time_limit(test_TIMEOUT)
  set(name ${test_NAME})
  if(test_PROGRAM)
    string(PREPEND name ${test_PROGRAM}.)
    get_property(idle GLOBAL PROPERTY QUIRE_IDLE_TESTS)
    list(REMOVE_ITEM idle ${name}.cpp)
    set_property(GLOBAL PROPERTY QUIRE_IDLE_TESTS "${idle}")
  endif()
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

  if(test_PROGRAM)
    set(source "QUIRE_TEST_SOURCE=${test_NAME}.cpp")
  else()
    set(test_PROGRAM ${test_NAME})
    set(source "")
    _quire_test_program("${test_NAME}" "${test_SOURCES}" "quire_test_main;${test_LIBRARIES}")
  endif()
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
      set(run "${name}.ranks${ranks}")
      set(variables "QUIRE_TEST_RANKS=${ranks}" ${source})
      if(NOT transport STREQUAL "-")
        string(APPEND run ".${transport}")
        list(APPEND variables "QUIRE_TEST_TRANSPORT=${transport}")
      endif()
      _quire_test_environment(environment "${CMAKE_CURRENT_BINARY_DIR}/run/${run}" ${variables})
      _quire_add_mpi_run("${run}" "${test_PROGRAM}" ${ranks} ${test_TIMEOUT} "${labels}" "${environment}")
    endforeach()
  endforeach()
endfunction()
