# Languages, optimisation and warnings: global where every target must agree, and the interface target
# `quire_flags`, which our own targets link privately.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

find_program(QUIRE_CCACHE ccache DOC "Compiler cache, used if found")
if(QUIRE_CCACHE)
  foreach(language IN ITEMS C CXX)
    if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
      # Sources with precompiled headers are cached only if it is said that this is wanted.
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                              "${QUIRE_CCACHE}")
    endif()
  endforeach()
endif()

set(is_in_groups $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
add_library(quire_flags INTERFACE)
target_compile_options(
  quire_flags
  INTERFACE # The same bits on every machine: no implicit fused multiply-add.
            -ffp-contract=off
            # Tests are compiled more often than run: little optimisation saves a third of their compilation.
            $<$<AND:$<CONFIG:Release>,$<BOOL:$<TARGET_PROPERTY:QUIRE_IS_TEST>>>:-O1>
            -Wall
            -Wextra
            -Wpedantic
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wconversion>
            # In a group of sources the names of one are also visible in the next ones.
            $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<NOT:${is_in_groups}>>:-Wshadow>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,${is_in_groups}>:-Wno-subobject-linkage>
            # GCC 12 sees overlaps in the concatenation of strings where there are none (GCC bug 105651).
            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:C,CXX>>:-Wno-restrict>
            $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-sign-conversion>
            # No extensions of the compiler, as CMAKE_C_EXTENSIONS and CMAKE_CXX_EXTENSIONS say of the other languages.
            # Reals are compared exactly on purpose: values that were read with those that were written.
            $<$<COMPILE_LANGUAGE:Fortran>:-std=f2018;-Wno-compare-reals>
            $<$<BOOL:${QUIRE_DEVELOPER}>:-Werror>)

# Hundreds of tests are linked once: this linker needs half of the time, and a third of that without the debug
# information of the library, which is most of a program. For line numbers: -DCMAKE_BUILD_TYPE=RelWithDebInfo.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold QUIRE_HAS_GOLD)
if(QUIRE_HAS_GOLD AND NOT QUIRE_SANITIZE)
  set(is_test $<BOOL:$<TARGET_PROPERTY:QUIRE_IS_TEST>>)
  target_link_options(quire_flags INTERFACE $<${is_test}:-fuse-ld=gold>
                                            $<$<AND:${is_test},$<CONFIG:Release>>:LINKER:--strip-debug>)
endif()

if(QUIRE_SANITIZE)
  target_compile_options(quire_flags INTERFACE -fsanitize=${QUIRE_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(quire_flags INTERFACE -fsanitize=${QUIRE_SANITIZE})
endif()
