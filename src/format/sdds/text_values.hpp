#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quire/model/value.hpp"

namespace quire::sdds {

/// The value of the line of a parameter.
struct ParameterText {
  std::optional<Value> value;  ///< nothing if the line has no value of the type
  std::string tolerance = {};  ///< the tolerated defect, for warnings
};

/// The begin of a text of a file, in quotes, for messages.
[[nodiscard]] std::string quoted_begin(std::string_view text);

/// Reads the line of a parameter (specs/sdds.md section 3.2), without its comment.
[[nodiscard]] ParameterText read_parameter(Type type, std::string_view line);

/// The value of a parameter from its line, or nothing if the line has no value of the type.
[[nodiscard]] std::optional<Value> parameter_from(Type type, std::string_view line);

/// The inverse for fixed values: a line from which parameter_from() returns an equal value.
/// Throws unsupported errors for strings with a zero byte.
[[nodiscard]] std::string parameter_line(const Value& value);

}  // namespace quire::sdds
