# Finds the HDF5 C library of one flavour and makes the imported target Quire::hdf5.
#
#   QUIRE_HDF5_FLAVOUR   serial, mpich or openmpi: Debian keeps the three side by side under hdf5/<flavour>
#   QUIRE_HDF5_ROOT      an installation prefix instead (include/hdf5.h, lib/libhdf5.so)
#
# Results: QuireHdf5_FOUND, QuireHdf5_VERSION, QuireHdf5_IS_PARALLEL.
# CMake's FindHDF5 runs the first h5cc in PATH, which may be that of another flavour.

set(QUIRE_HDF5_ROOT "" CACHE PATH "Prefix of an HDF5 installation; empty: Debian's, by flavour")

if(QUIRE_HDF5_ROOT)
  set(_quire_hdf5_include_hints "${QUIRE_HDF5_ROOT}/include")
  set(_quire_hdf5_library_hints "${QUIRE_HDF5_ROOT}/lib" "${QUIRE_HDF5_ROOT}/lib64")
else()
  set(_quire_hdf5_include_hints "/usr/include/hdf5/${QUIRE_HDF5_FLAVOUR}")
  set(_quire_hdf5_library_hints "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/hdf5/${QUIRE_HDF5_FLAVOUR}")
endif()

# Cached per place: a build directory that changes its flavour must search again.
string(MAKE_C_IDENTIFIER "${QUIRE_HDF5_FLAVOUR}_${QUIRE_HDF5_ROOT}" _quire_hdf5_place)
find_path(QuireHdf5_INCLUDE_${_quire_hdf5_place} hdf5.h PATHS ${_quire_hdf5_include_hints} NO_DEFAULT_PATH)
find_library(QuireHdf5_LIBRARY_${_quire_hdf5_place} hdf5 PATHS ${_quire_hdf5_library_hints} NO_DEFAULT_PATH)
mark_as_advanced(QuireHdf5_INCLUDE_${_quire_hdf5_place} QuireHdf5_LIBRARY_${_quire_hdf5_place})
set(QuireHdf5_INCLUDE_DIR "${QuireHdf5_INCLUDE_${_quire_hdf5_place}}")
set(QuireHdf5_LIBRARY "${QuireHdf5_LIBRARY_${_quire_hdf5_place}}")

set(QuireHdf5_IS_PARALLEL FALSE)
set(QuireHdf5_VERSION "")
foreach(_quire_hdf5_header IN ITEMS H5pubconf.h H5pubconf-64.h)
  if(EXISTS "${QuireHdf5_INCLUDE_DIR}/${_quire_hdf5_header}")
    file(STRINGS "${QuireHdf5_INCLUDE_DIR}/${_quire_hdf5_header}" _quire_hdf5_lines
         REGEX "#define H5_(PACKAGE_VERSION|HAVE_PARALLEL) ")
    if(_quire_hdf5_lines MATCHES "H5_PACKAGE_VERSION \"([0-9.]+)")
      set(QuireHdf5_VERSION "${CMAKE_MATCH_1}")
    endif()
    if(_quire_hdf5_lines MATCHES "H5_HAVE_PARALLEL 1")
      set(QuireHdf5_IS_PARALLEL TRUE)
    endif()
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  QuireHdf5
  REQUIRED_VARS QuireHdf5_LIBRARY QuireHdf5_INCLUDE_DIR
  VERSION_VAR QuireHdf5_VERSION
  REASON_FAILURE_MESSAGE
    "install libhdf5-dev (serial), libhdf5-mpich-dev or libhdf5-openmpi-dev, or set QUIRE_HDF5_ROOT")

if(QuireHdf5_FOUND AND NOT TARGET Quire::hdf5)
  add_library(Quire::hdf5 UNKNOWN IMPORTED)
  set_target_properties(
    Quire::hdf5 PROPERTIES IMPORTED_LOCATION "${QuireHdf5_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                      "${QuireHdf5_INCLUDE_DIR}"
                           # Later versions have the functions of 1.10 as well, and call theirs so without this.
                           INTERFACE_COMPILE_DEFINITIONS H5_USE_110_API)
  if(QuireHdf5_IS_PARALLEL)
    # hdf5.h of a parallel build includes mpi.h.
    target_link_libraries(Quire::hdf5 INTERFACE MPI::MPI_C)
  endif()
endif()
