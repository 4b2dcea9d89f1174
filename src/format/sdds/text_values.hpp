#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quire/model/value.hpp"

namespace quire::sdds {

/// What the line of a parameter holds.
struct ParameterText {
  std::optional<Value> value;  ///< nothing if there is none of its type
  std::string tolerance = {};  ///< what was overlooked, for warnings
};

/// Reads the line of a parameter (specs/sdds.md section 3.2), without its comment.
[[nodiscard]] ParameterText read_parameter(Type type, std::string_view line);

/// The value of a parameter from its line, or nothing if the line holds none of that type.
[[nodiscard]] std::optional<Value> parameter_from(Type type, std::string_view line);

/// The inverse for fixed values: a line from which parameter_from() makes an equal value.
/// Throws unsupported errors for strings with a zero byte.
[[nodiscard]] std::string parameter_line(const Value& value);

}  // namespace quire::sdds
