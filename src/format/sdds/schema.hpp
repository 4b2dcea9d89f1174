#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "quire/model/description.hpp"

namespace quire::sdds {

/// The layout of a written file.
struct WriteLayout {
  ByteOrder order = native_order;
  bool column_major = false;
  bool step_parameter = true;  ///< the numbers of the steps are stored in a parameter of their own
  bool wide_numbers = false;   ///< this parameter has 64 bits, even if the first number does not need them
  Mode mode = Mode::binary;
  bool canonical = false;          ///< the bytes of the reference, instead of lossless ones
  int version = 0;                 ///< 0: the lowest version that supports the content
  std::int64_t lines_per_row = 1;  ///< of text; 0: line ends have no meaning
  bool no_row_counts = false;      ///< of text
  std::uint64_t growth_rows = 0;   ///< rows by which the count of a growing page is raised; 0: pages do not grow

  template <class Archive>
  void archive(Archive& a) {
    a(order, column_major, step_parameter, wide_numbers, mode, canonical, version, lines_per_row, no_row_counts,
      growth_rows);
  }
};

/// A field is written as one array for each of its components.
struct FieldArray {
  std::size_t field = 0;
  std::uint64_t component = 0;
  std::string name;  ///< that of the field, or name[component] if it has several components
};
[[nodiscard]] std::vector<FieldArray> field_arrays(const StepDescription& step);

/// A step as the format stores it: types are widened. Throws unsupported errors for names and texts that cannot be
/// written (such as texts of several lines), for more than one table and for extents beyond 32 bits.
[[nodiscard]] StepDescription held_step(const StepDescription& step);

/// The structure that a header defines for all steps, without values. It omits the parameter Step if that only numbers
/// the steps, and arrays of more than 32 axes.
[[nodiscard]] StepDescription declared_step(const Header& header);

/// As held_step(), for the attributes, texts and declarations of a file, but names are replaced by valid ones, and line
/// ends by blanks.
[[nodiscard]] FileDescription held_file(const FileDescription& file);

/// The header of a file with this first step, both as stored. Throws conflict errors for duplicate names, usage errors
/// for layouts that do not fit the step, unsupported errors for versions that do not support the content.
[[nodiscard]] Header header_for(const FileDescription& file, const StepDescription& step, const WriteLayout& layout);

/// The stored step with the types of the header. Throws conflict errors for objects that the header does not have, and
/// for objects other than attributes that only the header has; type errors if values could change, unless `lossy`.
[[nodiscard]] StepDescription agreed_step(const Header& header, StepDescription step, bool lossy);

/// The integer parameter Step without a fixed value, or nothing.
[[nodiscard]] const ParameterDefinition* find_step_parameter(const Header& header);
[[nodiscard]] bool has_step_parameter(const Header& header);

/// The attribute of this name, or null.
[[nodiscard]] const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);

/// Whether an array holds the value of an attribute.
[[nodiscard]] bool is_attribute_array(const ArrayDefinition& array);

}  // namespace quire::sdds
