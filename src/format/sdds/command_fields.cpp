#include "format/sdds/command_fields.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/model/description.hpp"

namespace quire::sdds {
CommandFields::CommandFields(const Command& command, std::initializer_list<std::string_view> allowed)
    : command_(command) {
  for (const CommandField& field : command.fields) {
    if (std::find(allowed.begin(), allowed.end(), field.name) != allowed.end()) continue;
    const std::vector<std::string> names(allowed.begin(), allowed.end());
    throw error_at(field.offset, field.line,
                   "&" + command.name + " has no field \"" + field.name + '"' + nearest_names(field.name, names));
  }
}

const CommandField* CommandFields::find(std::string_view name) const noexcept {
  const CommandField* found = nullptr;
  for (const CommandField& field : command_.fields) {
    if (field.name == name) found = &field;
  }
  return found;
}

std::optional<std::string> CommandFields::text(std::string_view name) const {
  const CommandField* field = find(name);
  if (field == nullptr) return std::nullopt;
  return field->value;
}

const CommandField& CommandFields::required(std::string_view name) const {
  const CommandField* field = find(name);
  if (field != nullptr) return *field;
  throw error_at(command_.offset, command_.line, "&" + command_.name + " lacks the field " + std::string(name));
}

std::int64_t CommandFields::integer(std::string_view name, std::int64_t preset) const {
  const CommandField* field = find(name);
  if (field == nullptr) return preset;
  const auto value = leading_integer(field->value);
  if (value) return *value;
  throw error_at(field->offset, field->line,
                 "the field " + field->name + " must be a 32-bit whole number, but is \"" + field->value + '"');
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\v\f");
  if (first == std::string_view::npos) return std::nullopt;
  text.remove_prefix(first);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  using Limits = std::numeric_limits<std::int32_t>;
  if (value < Limits::min() || value > Limits::max()) return std::nullopt;
  return value;
}

}  // namespace quire::sdds
