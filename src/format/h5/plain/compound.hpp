#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/h5/datasets.hpp"
#include "quire/model/view.hpp"

namespace quire::h5 {

/// One value of a compound: a member, or an element of a member that is a short array.
struct CompoundValue {
  std::string member;
  std::optional<std::uint64_t> element;  ///< of an array, in C order
  Type type = Type::float64;

  /// The member, and the element in brackets.
  [[nodiscard]] std::string name() const;
};

/// A data set of compounds: rows of several numbers and texts.
struct CompoundDescription {
  /// Cells whose columns are positions in `values`, and cells of no column where rows have holes; opaque where they are
  /// nothing like that.
  DatasetDescription data;
  std::vector<CompoundValue> values;  ///< those that are numbers or texts, in file order
  std::vector<std::string> left_out;  ///< the other members
};

/// Describes an open data set of compounds. Nothing for other types, and if no member holds numbers or texts. Throws
/// bad_file errors when its bytes lie outside the file. Data sets of several dimensions are not read by their chunks.
[[nodiscard]] std::optional<CompoundDescription> describe_compound(hid_t dataset, const std::string& name,
                                                                   ChunkScope& chunks);

/// Reads one value of rows of a one-dimensional data set of compounds into `out`, which has the type that the value was
/// described with.
void read_member(hid_t dataset, const std::string& name, const CompoundValue& value, const Slice& rows, const View& out,
                 std::uint64_t memory_budget);

}  // namespace quire::h5
