#pragma once

namespace quire::hdf5 {

/// Independent. Whether HDF5 locks files: not if HDF5_USE_FILE_LOCKING is FALSE or 0. Other values of this variable
/// concern file systems without locks, where our locks have no effect.
[[nodiscard]] bool locks_files();

}  // namespace quire::hdf5
