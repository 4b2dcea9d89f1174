#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of H5Part and H5hut files.
[[nodiscard]] const Format& h5part_format();
/// Independent. The format of any other HDF5 file.
[[nodiscard]] const Format& hdf5_format();
/// Independent. Whether HDF5 locks files here: not where HDF5_USE_FILE_LOCKING is FALSE or 0. Its other values say what
/// HDF5 does on a file system without locks, where ours have no effect.
[[nodiscard]] bool hdf5_locks_files();

}  // namespace quire
