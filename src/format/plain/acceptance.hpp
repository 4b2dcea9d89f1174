#pragma once

#include <string>
#include <vector>

#include "quire/spi/format/fit.hpp"

namespace quire::hdf5 {

/// How tables are stored in a plain HDF5 file.
enum class TableLayout : std::uint8_t {
  columns,  ///< a dataset for each column, in a group with the name of the table
  matrix,   ///< one dataset of rows and columns with the name of the table, all values of one type
};

/// Settings of the writer.
struct PlainRules {
  TableLayout layout = TableLayout::columns;
  std::string unnamed;  ///< name of the dataset of a table without a name, if it is a matrix
};

/// The path of a table's group or dataset, from the root; empty for a table without a name in columns.
[[nodiscard]] std::string path_of(const Table& table, const PlainRules& rules);
/// The path of a field's dataset.
[[nodiscard]] std::string path_of(const Field& field);

/// The attributes of the file as stored at the root, including title and contents.
[[nodiscard]] std::vector<Attribute> accepted_file(const FileDescription& file);

/// Returns the step as plain HDF5 stores it. Throws type, unsupported, usage and conflict errors if plain HDF5 cannot
/// store it. `file_attributes` share the root with those of the step.
[[nodiscard]] StepDescription accept_plain(const StepDescription& step, const PlainRules& rules,
                                           const std::vector<Attribute>& file_attributes, bool lossy);

/// What plain HDF5 can store of a file and a step, with a sentence foreverything that is lost.
[[nodiscard]] Fit fit_plain(const FileDescription& file, const StepDescription& step, const PlainRules& rules);

}  // namespace quire::hdf5
