#pragma once

#include <string>
#include <vector>

#include "quire/format/format.hpp"

namespace quire::h5 {

/// How tables stand in a plain HDF5 file.
enum class TableLayout : std::uint8_t {
  columns,  ///< a data set for each column, in a group that is called like the table
  matrix,   ///< one data set of rows and columns that is called like the table, with all values of one type
};

/// What the writer was asked for.
struct PlainRules {
  TableLayout layout = TableLayout::columns;
  std::string unnamed;  ///< what the data set of a table without a name is called, if it is a matrix
};

/// The path of a table's group or data set, from the root; empty for a table without a name in columns.
[[nodiscard]] std::string path_of(const Table& table, const PlainRules& rules);
/// The path of a field's data set.
[[nodiscard]] std::string path_of(const Field& field);

/// The attributes of the file as they will stand at the root: title and contents among them.
[[nodiscard]] std::vector<Attribute> accepted_file(const FileDescription& file);

/// A step as plain HDF5 holds it, or the reason why it cannot: type, unsupported, usage and conflict errors.
/// `file_attributes` share the root with those of the step.
[[nodiscard]] StepDescription accept_plain(const StepDescription& step, const PlainRules& rules,
                                           const std::vector<Attribute>& file_attributes, bool lossy);

/// What of a file and step plain HDF5 can hold, with everything that is lost told in sentences.
[[nodiscard]] Fit fit_plain(const FileDescription& file, const StepDescription& step, const PlainRules& rules);

}  // namespace quire::h5
