#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/h5/datasets.hpp"
#include "quire/model/view.hpp"

namespace quire::h5 {

/// A data set of compounds: rows of several numbers and texts.
struct CompoundDescription {
  DatasetDescription data;           ///< a cell for each member; opaque where the rows are no such cells in a row
  std::vector<std::string> members;  ///< those that hold numbers or texts
};

/// Describes an open data set of compounds. Nothing for other types, and if no member holds numbers or texts. Throws
/// bad_file errors when its bytes lie outside the file.
[[nodiscard]] std::optional<CompoundDescription> describe_compound(hid_t dataset, const std::string& name,
                                                                   std::uint64_t file_size);

/// Reads one member of rows of a one-dimensional data set of compounds into `out`, which has the type that the member
/// was described with.
void read_member(hid_t dataset, const std::string& name, const std::string& member, const Slice& rows, const View& out,
                 std::uint64_t memory_budget);

}  // namespace quire::h5
