#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of H5Part and H5hut files.
[[nodiscard]] const Format& h5part_format();
/// Independent. The format of any other HDF5 file.
[[nodiscard]] const Format& hdf5_format();
/// Independent. Whether HDF5 locks files: not if HDF5_USE_FILE_LOCKING is FALSE or 0. Other values of this variable
/// concern file systems without locks, where our locks have no effect.
[[nodiscard]] bool hdf5_locks_files();

}  // namespace quire
