#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quire/model/value.hpp"

namespace quire::sdds {

/// The bytes that a text with escapes stands for (specs/sdds.md section 3.7). A zero byte ends it.
[[nodiscard]] std::string unescaped(std::string_view text);

/// The next token of a line (section 3.5); `line` becomes what follows it. Nothing if only blanks are left.
[[nodiscard]] std::optional<std::string_view> next_token(std::string_view& line);

/// The number at the beginning of a token by the rules of scanf (section 3.2): integers saturate at 64 bits and are cut
/// to the type, floating-point numbers overflow to infinity. Nothing if there is no number.
[[nodiscard]] std::optional<Value> number_from(Type type, std::string_view token);

/// The value of a parameter from its line, or nothing if the line holds none of that type.
[[nodiscard]] std::optional<Value> parameter_from(Type type, std::string_view line);

/// The inverse for fixed values: a line from which parameter_from() makes an equal value.
/// Throws unsupported errors for strings with a zero byte.
[[nodiscard]] std::string parameter_line(const Value& value);

}  // namespace quire::sdds
