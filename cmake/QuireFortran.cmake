# QUIRE_FORTRAN: the module for Fortran. AUTO builds it if a compiler is found that passes arrays with their descriptors,
# as Fortran 2018 has it. Sets QUIRE_HAS_FORTRAN, and QUIRE_HAS_MPI_F08 if the MPI has the module mpi_f08 for it.

set(QUIRE_FORTRAN "AUTO" CACHE STRING "Build the Fortran module: AUTO (if there is a compiler), ON or OFF")
set_property(CACHE QUIRE_FORTRAN PROPERTY STRINGS AUTO ON OFF)
set(QUIRE_FORTRAN_MODULES "${CMAKE_INSTALL_INCLUDEDIR}/quire/fortran"
    CACHE STRING "Where the Fortran modules are installed, below the prefix")
set(QUIRE_HAS_FORTRAN OFF)
set(QUIRE_HAS_MPI_F08 OFF)

# Reports why there is no module, as an error if it was asked for.
macro(_quire_no_fortran reason)
  if(QUIRE_FORTRAN STREQUAL "AUTO")
    message(STATUS "Fortran: no module, ${reason}")
  else()
    message(FATAL_ERROR "QUIRE_FORTRAN: ${reason}")
  endif()
endmacro()

function(_quire_check_descriptors result)
  include(CheckCXXSourceCompiles)
  include(CheckFortranSourceCompiles)
  check_cxx_source_compiles("#include <ISO_Fortran_binding.h>
    int main() { return CFI_type_double == 0; }" QUIRE_CXX_HAS_DESCRIPTORS)
  check_fortran_source_compiles(
    "program p
       interface
         subroutine take(values) bind(C)
           type(*), dimension(..), intent(in), asynchronous :: values
         end subroutine
       end interface
     end program"
    QUIRE_FORTRAN_HAS_DESCRIPTORS
    SRC_EXT f90)
  if(QUIRE_CXX_HAS_DESCRIPTORS AND QUIRE_FORTRAN_HAS_DESCRIPTORS)
    set(${result} ON PARENT_SCOPE)
  else()
    set(${result} OFF PARENT_SCOPE)
  endif()
endfunction()

if(QUIRE_FORTRAN)
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
    _quire_check_descriptors(QUIRE_HAS_FORTRAN)
    if(NOT QUIRE_HAS_FORTRAN)
      _quire_no_fortran("the compilers do not share ISO_Fortran_binding.h of Fortran 2018")
    endif()
  else()
    _quire_no_fortran("there is no compiler")
  endif()
endif()

if(QUIRE_HAS_FORTRAN AND QUIRE_MPI)
  if(NOT MPI_Fortran_COMPILER)
    find_program(MPI_Fortran_COMPILER NAMES mpifort.${QUIRE_MPI_FLAVOUR} mpifort DOC "MPI compiler wrapper")
  endif()
  find_package(MPI 3.1 COMPONENTS Fortran)
  if(MPI_Fortran_FOUND AND MPI_Fortran_HAVE_F08_MODULE)
    set(QUIRE_HAS_MPI_F08 ON)
  endif()
endif()
if(QUIRE_HAS_FORTRAN)
  message(STATUS "Fortran: ${CMAKE_Fortran_COMPILER}, mpi_f08 ${QUIRE_HAS_MPI_F08}")
endif()
