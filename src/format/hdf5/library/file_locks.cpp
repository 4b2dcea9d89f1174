#include "format/hdf5/library/file_locks.hpp"

#include <cstdlib>
#include <string_view>

namespace quire::hdf5 {

bool locks_files() {
  const char* value = std::getenv("HDF5_USE_FILE_LOCKING");
  const std::string_view text(value == nullptr ? "" : value);
  return text != "FALSE" && text != "0";
}

}  // namespace quire::hdf5
