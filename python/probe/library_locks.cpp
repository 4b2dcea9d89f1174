#include <hdf5.h>
#include <unistd.h>

#include "arguments.hpp"
#include "locks.hpp"

namespace quire::probe {
namespace {

constexpr int value = 20221;

/// Makes a file with one number in it and leaves it open; below 0 if that fails.
hid_t made(const std::string& path) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (file < 0) return file;
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t data = H5Dcreate2(file, "number", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  H5Dclose(data);
  H5Sclose(space);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  return file;
}

int number_in(const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return -1;
  int number = 0;
  const hid_t data = H5Dopen2(file, "number", H5P_DEFAULT);
  if (data >= 0) {
    H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number);
    H5Dclose(data);
  }
  H5Fclose(file);
  return number;
}

}  // namespace

void examine_library_locks(Comm& comm, const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  hid_t file = H5I_INVALID_HID;
  std::uint64_t failed = 0;
  if (comm.is_root()) {
    file = made(path);
    failed = file < 0 ? 1 : 0;
  }
  comm.maximum(std::span(&failed, 1));
  report(comm, {"library", "create", failed == 0 ? "right" : "error",
                failed == 0 ? "" : "the file could not be made; where locks do not work this mode asks for them"});
  if (failed != 0) return;

  if (comm.size() > 1) {
    std::uint64_t opened = 0;
    if (comm.rank() == comm.size() - 1) {
      const hid_t second = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      opened = second < 0 ? 0 : 1;
      if (second >= 0) H5Fclose(second);
    }
    comm.maximum(std::span(&opened, 1));
    report(comm, {"library", "second writer", opened == 0 ? "refused" : "allowed", ""});
  }
  if (comm.is_root()) H5Fclose(file);
  comm.barrier();
  std::uint64_t wrong = number_in(path) == value ? 0 : 1;
  comm.maximum(std::span(&wrong, 1));
  report(comm, {"library", "read", wrong == 0 ? "right" : "error", wrong == 0 ? "" : "a rank cannot read the file"});
}

}  // namespace quire::probe
