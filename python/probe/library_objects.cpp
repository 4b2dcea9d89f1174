#include <hdf5.h>

#include <string>

#include "locks.hpp"
#include "quire/base/error.hpp"

namespace quire::probe {

void make_library_objects(int count) {
  constexpr std::size_t growth = 1 << 20;
  constexpr hsize_t values = 1024;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, growth, 0);
  H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  const hid_t file = H5Fcreate("objects", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  const hid_t space = H5Screate_simple(1, &values, nullptr);
  int made = 0;
  for (int i = 0; i < count; ++i) {
    const hid_t data = H5Dcreate2(file, ("object" + std::to_string(i)).c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                  creation, H5P_DEFAULT);
    if (data < 0) break;
    H5Dclose(data);
    ++made;
  }
  H5Sclose(space);
  H5Pclose(creation);
  H5Pclose(access);
  if (H5Fclose(file) < 0 || made < count) throw Error(ErrorKind::internal, "the HDF5 library made no objects");
}

}  // namespace quire::probe
