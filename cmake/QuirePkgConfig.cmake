# Writes quire.pc for those who build without CMake; pkg-config knows the rest of what the library links.

file(RELATIVE_PATH QUIRE_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" QUIRE_PC_PREFIX "${QUIRE_PC_PREFIX}")
set(QUIRE_PC_CFLAGS "")
set(QUIRE_PC_LIBS " ${QuireHdf5_LIBRARY}")
if(QUIRE_MPI)
  foreach(directory IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND QUIRE_PC_CFLAGS " -I${directory}")
  endforeach()
  # As in QuireDependencies.
  string(APPEND QUIRE_PC_CFLAGS " -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX")
  foreach(library IN LISTS MPI_C_LIBRARIES)
    string(APPEND QUIRE_PC_LIBS " ${library}")
  endforeach()
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/quire.pc.in ${PROJECT_BINARY_DIR}/quire.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/quire.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
