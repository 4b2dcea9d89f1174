#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quire/model/type.hpp"

namespace quire::sdds {

/// The name of a type in the file ("longdouble"). int8 and uint8 have no name: see held_as().
[[nodiscard]] std::string_view file_name(Type type);

/// The inverse; nothing for an unknown name.
[[nodiscard]] std::optional<Type> type_of_file_name(std::string_view name);

/// The type in which values of `type` are stored: the narrowest type of the format that represents every value.
[[nodiscard]] Type held_as(Type type) noexcept;

/// The lowest version of the format in which the type exists.
[[nodiscard]] int version_of(Type type) noexcept;

/// Whether parameters, arrays and columns may have this name (specs/sdds.md section 2.4).
[[nodiscard]] bool is_valid_name(std::string_view name) noexcept;

/// The nearest valid name: forbidden characters become underscores; if the first character is only allowed at later
/// positions, a dot is inserted before it.
[[nodiscard]] std::string valid_name_for(std::string_view name);

/// The fault of a printf format for values of a type, or an empty text (specs/sdds.md section 2.6).
[[nodiscard]] std::string format_string_fault(std::string_view format, Type type);

}  // namespace quire::sdds
