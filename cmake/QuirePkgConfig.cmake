# Writes quire.pc and quire-fortran.pc for those who build without CMake. What the library is linked with is private to a
# shared one: pkg-config --static adds it, if there is a static one beside. A program needs it with a static library alone.

file(RELATIVE_PATH QUIRE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" QUIRE_PC_PREFIX "${QUIRE_PC_PREFIX}")
set(QUIRE_PC_LINKED "${QuireHdf5_LIBRARY} -lstdc++ -lm -pthread")

# Sets QUIRE_PC_CFLAGS and QUIRE_PC_LIBS to the flags of the MPI for a language.
macro(_quire_mpi_flags language)
  list(TRANSFORM MPI_${language}_INCLUDE_DIRS PREPEND " -I" OUTPUT_VARIABLE QUIRE_PC_CFLAGS)
  list(JOIN QUIRE_PC_CFLAGS "" QUIRE_PC_CFLAGS)
  list(TRANSFORM MPI_${language}_LIBRARIES PREPEND " " OUTPUT_VARIABLE QUIRE_PC_LIBS)
  list(JOIN QUIRE_PC_LIBS "" QUIRE_PC_LIBS)
endmacro()

function(_quire_describe name component)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

set(QUIRE_PC_CFLAGS "")
set(QUIRE_PC_LIBS "")
if(QUIRE_MPI)
  _quire_mpi_flags(C)
  # As in QuireDependencies.
  string(APPEND QUIRE_PC_CFLAGS " -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX")
endif()
if(BUILD_SHARED_LIBS)
  set(QUIRE_PC_PRIVATE ".private")
else()
  set(QUIRE_PC_PRIVATE "")
  string(APPEND QUIRE_PC_LIBS " ${QUIRE_PC_LINKED}")
  set(QUIRE_PC_LINKED "")
endif()
_quire_describe(quire library)

if(QUIRE_HAS_FORTRAN)
  set(QUIRE_PC_CFLAGS "")
  set(QUIRE_PC_LIBS "")
  if(QUIRE_HAS_MPI_F08)
    _quire_mpi_flags(Fortran)
  endif()
  _quire_describe(quire-fortran fortran)
endif()
