#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/library/datasets.hpp"
#include "quire/model/value.hpp"

namespace quire::hdf5 {

/// One value of a compound: a member, or an element of a member that is a short array.
struct CompoundValue {
  std::string member;
  std::optional<std::uint64_t> element;  ///< of an array, in C order
  Type type = Type::float64;

  /// The member, and the element in brackets.
  [[nodiscard]] std::string name() const;
};

/// A dataset of compounds: rows of several numbers and texts.
struct CompoundDescription {
  /// The columns of the cells are indices in `values`; holes of rows are cells of no column. Opaque if rows cannot be
  /// described by cells.
  DatasetDescription data;
  std::vector<CompoundValue> values;  ///< the members that are numbers or texts, in file order
  std::vector<std::string> left_out;  ///< the other members
};

/// Describes an open dataset of compounds. No value for other types, and if no member holds numbers or texts. Throws
/// bad_file errors if its bytes are outside the file. Datasets of several dimensions are not read by their chunks.
[[nodiscard]] std::optional<CompoundDescription> describe_compound(hid_t dataset, const std::string& name,
                                                                   ChunkScope& chunks);

/// Reads one value of rows of a one-dimensional dataset of compounds into `out`, which has the type in the description
/// of the value.
void read_member(hid_t dataset, const std::string& name, const CompoundValue& value, const Slice& rows, const View& out,
                 std::uint64_t memory_budget);

}  // namespace quire::hdf5
