#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "format/sdds/header_lexer.hpp"

namespace quire::sdds {

/// The fields of one command by name. The last one of a repeated field is used.
class CommandFields {
 public:
  /// Throws a bad_file error for a field that is not among `allowed`.
  CommandFields(const Command& command, std::initializer_list<std::string_view> allowed);

  [[nodiscard]] const CommandField* find(std::string_view name) const noexcept;
  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  /// Throws a bad_file error if the field is absent.
  [[nodiscard]] const CommandField& required(std::string_view name) const;
  /// A whole number by the rules of scanf: blanks, sign, digits, and any text after them.
  /// Throws a bad_file error if there are no digits or if the number does not fit into 32 bits.
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t preset) const;

 private:
  const Command& command_;
};

/// The leading whole number of a text by the rules of scanf, or nothing if it is missing or exceeds 32 bits.
[[nodiscard]] std::optional<std::int64_t> leading_integer(std::string_view text);

}  // namespace quire::sdds
