#pragma once

#include <span>
#include <string>

#include "format/h5/file_writer.hpp"

namespace quire::h5 {

/// Takes links out of the root of an existing file, in a session of its writer that is not committed. What they lead to
/// is given up with them; of what is damaged, and cannot be taken apart, the bytes stay where they are, unused.
[[nodiscard]] Publication drop_links(FileWriter& writer, std::span<const std::string> names);
/// The same of links to what is known to be damaged: HDF5 looks at none of it.
[[nodiscard]] Publication drop_damaged(FileWriter& writer, std::span<const std::string> names);

}  // namespace quire::h5
