#pragma once

#include <span>
#include <string>

#include "format/hdf5/library/file_writer.hpp"

namespace quire::hdf5 {

/// Deletes links of the root of an existing file, in a session of its writer that is not committed. The objects are
/// deleted with them. The bytes of damaged objects, which cannot be freed, remain in the file, unused.
[[nodiscard]] Publication drop_links(FileWriter& writer, std::span<const std::string> names);
/// The same for links to objects that are known to be damaged: HDF5 does not read them.
[[nodiscard]] Publication drop_damaged(FileWriter& writer, std::span<const std::string> names);

}  // namespace quire::hdf5
