#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/hdf5/library/layout_marks.hpp"

namespace quire::hdf5 {

/// The group of a step that holds its fields.
inline constexpr const char* block_name = "Block";

/// The group of fields that are datasets next to the columns of a step, but with other shapes.
inline constexpr const char* loose_columns = "columns of other shapes";

/// The names of the groups of steps: `<prefix>#<number>`, the number with at least `width` characters, zero padded.
struct StepNaming {
  std::string prefix = "Step";
  unsigned width = 1;

  [[nodiscard]] std::string name(std::int64_t number) const;
};

/// The prefix of most groups, `Step` if any group has it, and the width that follows from the zero padding. `is_group`
/// is called if the names have several prefixes; if none is that of a group, all names count.
[[nodiscard]] StepNaming guess_naming(std::span<const std::string> names,
                                      const std::function<bool(const std::string&)>& is_group);
/// The same with a given prefix.
[[nodiscard]] StepNaming guess_width(std::span<const std::string> names, std::string prefix);

/// One step of a file: its number and the name of its group.
struct StepEntry {
  std::int64_t number = 0;
  std::string name;
};
/// The steps among the names in numerical order. Numbers that occur twice are named in `warnings`.
[[nodiscard]] std::vector<StepEntry> step_entries(std::span<const std::string> names, const std::string& prefix,
                                                  std::vector<std::string>& warnings);

/// Throws usage errors for invalid names of a column or field: empty, longer than 63 bytes, with "/" or NUL, ".",
/// "Block".
void check_column_name(const std::string& name, const char* what = "a column of H5Part");

/// Throws usage errors for invalid names of an attachment: empty, longer than 255 bytes, with "/" or NUL, ".".
void check_attachment_name(const std::string& name);

}  // namespace quire::hdf5
