# Every library we use, found on the system and never fetched. The library links `quire_dependencies`;
# the single targets are there for those who need one of them only:
#
#   Quire::hdf5   MPI::MPI_C (with QUIRE_MPI)   ZLIB::ZLIB   LibLZMA::LibLZMA
#   PkgConfig::libdeflate   PkgConfig::xxhash   PkgConfig::zstd   pugixml::pugixml

include(QuireMpi)

if(QUIRE_MPI)
  set(QUIRE_HDF5_FLAVOUR_DEFAULT "${QUIRE_MPI_FLAVOUR}")
else()
  set(QUIRE_HDF5_FLAVOUR_DEFAULT "serial")
endif()
set(QUIRE_HDF5_FLAVOUR "${QUIRE_HDF5_FLAVOUR_DEFAULT}"
    CACHE STRING "Which HDF5: serial, mpich or openmpi")
find_package(QuireHdf5 1.10.8 REQUIRED)
message(STATUS "HDF5: ${QuireHdf5_VERSION}, ${QuireHdf5_LIBRARY}, parallel ${QuireHdf5_IS_PARALLEL}")

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(pugixml REQUIRED)
pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)

add_library(quire_dependencies INTERFACE)
target_link_libraries(
  quire_dependencies
  INTERFACE Quire::hdf5
            Threads::Threads
            ZLIB::ZLIB
            LibLZMA::LibLZMA
            PkgConfig::libdeflate
            PkgConfig::xxhash
            PkgConfig::zstd
            pugixml::pugixml)
if(QUIRE_MPI)
  target_link_libraries(quire_dependencies INTERFACE MPI::MPI_C)
  # The C++ bindings that left the standard in 2012 still wait inside mpi.h and need a library of their own.
  target_compile_definitions(quire_dependencies INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)
endif()
