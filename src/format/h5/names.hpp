#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire::h5 {

/// The group of a step that holds its fields.
inline constexpr const char* block_name = "Block";

/// The group of fields that are data sets of a step beside its columns, but no columns: their shapes differ.
inline constexpr const char* loose_columns = "columns of other shapes";

/// How the groups of steps are called: `<prefix>#<number>`, the number with at least `width` characters, zero padded.
struct StepNaming {
  std::string prefix = "Step";
  unsigned width = 1;

  [[nodiscard]] std::string name(std::int64_t number) const;
};

/// A group name of the full form.
struct StepName {
  std::string_view prefix;
  std::string_view digits;  ///< with the sign
  std::int64_t number = 0;
};
[[nodiscard]] std::optional<StepName> parse_step_name(std::string_view name);

/// The prefix that most names of groups have, `Step` if any has it, and the width that their padding shows. `is_group`
/// is asked where the names have several prefixes; if none is that of a group, all names count.
[[nodiscard]] StepNaming guess_naming(std::span<const std::string> names,
                                      const std::function<bool(const std::string&)>& is_group);
/// The same with a given prefix.
[[nodiscard]] StepNaming guess_width(std::span<const std::string> names, std::string prefix);

/// One step of a file: its number and how its group is called.
struct StepEntry {
  std::int64_t number = 0;
  std::string name;
};
/// The steps among the names in numerical order; a number that comes twice is named in `warnings`.
[[nodiscard]] std::vector<StepEntry> step_entries(std::span<const std::string> names, const std::string& prefix,
                                                  std::vector<std::string>& warnings);

/// Throws usage errors for names that a column or field cannot have: empty, longer than 63 bytes, with "/" or NUL, ".",
/// "Block".
void check_column_name(const std::string& name, const char* what = "a column of H5Part");

/// Throws usage errors for names that an attachment cannot have: empty, longer than 255 bytes, with "/" or NUL, ".".
void check_attachment_name(const std::string& name);

}  // namespace quire::h5
