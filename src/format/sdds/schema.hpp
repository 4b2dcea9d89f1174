#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/header.hpp"
#include "quire/model/description.hpp"

namespace quire::sdds {

/// How a file is to be written.
struct WriteLayout {
  ByteOrder order = native_order;
  bool column_major = false;
  bool step_parameter = true;  ///< the numbers of the steps are kept in a parameter of their own
  bool wide_numbers = false;   ///< it has 64 bits, also where the first number does not need them
  Mode mode = Mode::binary;
  bool canonical = false;          ///< the reference's own bytes, instead of those that keep everything
  int version = 0;                 ///< 0: the lowest one that holds the content
  std::int64_t lines_per_row = 1;  ///< of text; 0: line ends mean nothing
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
  std::string name;  ///< that of the field, or name[component] where there are several
};
[[nodiscard]] std::vector<FieldArray> field_arrays(const StepDescription& step);

/// A step as the format holds it: types widened. Throws unsupported errors for names and texts that cannot be written,
/// those of more than one line among them, for more than one table and for extents beyond 32 bits.
[[nodiscard]] StepDescription held_step(const StepDescription& step);

/// What a header defines for all steps, without values; not the parameter Step that only numbers them, and no arrays of
/// more than 32 axes.
[[nodiscard]] StepDescription declared_step(const Header& header);

/// As held_step(), for the attributes, texts and declarations of a file, but names are replaced by valid ones, and line
/// ends by blanks: nobody else can.
[[nodiscard]] FileDescription held_file(const FileDescription& file);

/// The header of a file whose first step is this one. Both as held. Throws conflict errors for names that appear twice,
/// usage errors for layouts that do not fit the step, unsupported errors for versions below that of the content.
[[nodiscard]] Header header_for(const FileDescription& file, const StepDescription& step, const WriteLayout& layout);

/// The held step with the types of the header. Throws conflict errors for whatever the header lacks or, `attributes`
/// apart, for what it asks for and the step does not have; type errors where values could change, unless `lossy`.
[[nodiscard]] StepDescription agreed_step(const Header& header, StepDescription step, bool lossy);

/// The integer parameter Step without a fixed value, or nothing.
[[nodiscard]] const ParameterDefinition* find_step_parameter(const Header& header);
[[nodiscard]] bool has_step_parameter(const Header& header);

/// Of a step: the attribute of this name, or nothing.
[[nodiscard]] const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name);

/// Whether an array holds the value of an attribute.
[[nodiscard]] bool is_attribute_array(const ArrayDefinition& array);

}  // namespace quire::sdds
