#include "format/sdds/names.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/characters.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::array<std::pair<Type, std::string_view>, 11> type_names{{
    {Type::float80, "longdouble"},
    {Type::float64, "double"},
    {Type::float32, "float"},
    {Type::int64, "long64"},
    {Type::uint64, "ulong64"},
    {Type::int32, "long"},
    {Type::uint32, "ulong"},
    {Type::int16, "short"},
    {Type::uint16, "ushort"},
    {Type::string, "string"},
    {Type::character, "character"},
}};

[[nodiscard]] bool may_begin_name(char c) noexcept { return is_letter(c) || c == '.' || c == ':'; }

[[nodiscard]] bool may_continue_name(char c) noexcept {
  return may_begin_name(c) || is_digit(c) || std::string_view("@#+%-_$&/[]").find(c) != std::string_view::npos;
}

}  // namespace

std::string_view file_name(Type type) {
  const auto* found =
      std::find_if(type_names.begin(), type_names.end(), [type](const auto& entry) { return entry.first == type; });
  if (found == type_names.end()) throw Error(ErrorKind::internal, "a type that the file cannot hold was not widened");
  return found->second;
}

std::optional<Type> type_of_file_name(std::string_view name) {
  const auto* found =
      std::find_if(type_names.begin(), type_names.end(), [name](const auto& entry) { return entry.second == name; });
  if (found == type_names.end()) return std::nullopt;
  return found->first;
}

Type held_as(Type type) noexcept {
  if (type == Type::int8) return Type::int16;
  if (type == Type::uint8) return Type::uint16;
  return type;
}

int version_of(Type type) noexcept {
  switch (type) {
    case Type::uint16:
    case Type::uint32:
      return 2;
    case Type::float80:
      return 4;
    case Type::int64:
    case Type::uint64:
      return 5;
    default:
      return 1;
  }
}

bool is_valid_name(std::string_view name) noexcept {
  return !name.empty() && may_begin_name(name.front()) && std::all_of(name.begin(), name.end(), may_continue_name);
}

std::string valid_name_for(std::string_view name) {
  std::string result;
  for (const char c : name) result += may_continue_name(c) ? c : '_';
  if (result.empty() || !may_begin_name(result.front())) result.insert(result.begin(), '.');
  return result;
}

std::string format_string_fault(std::string_view format, Type type) {
  const std::size_t percent = format.find('%');
  if (percent == std::string_view::npos) return "it has no conversion";
  std::size_t position = percent + 1;
  const std::string_view allowed_before = type == Type::character ? ""
                                          : type == Type::string  ? "-0123456789"
                                                                  : "-+.0123456789 ";
  while (position < format.size() && allowed_before.find(format[position]) != std::string_view::npos) ++position;

  const std::string_view conversion = format.substr(position);
  const auto is_integer_conversion = [&](char letter) {
    // At most one modifier precedes the letter.
    return conversion.starts_with(letter) ||
           (conversion.size() > 1 && conversion[1] == letter && is_letter(conversion[0]));
  };
  bool fits = false;
  switch (type) {
    case Type::string:
      fits = conversion.starts_with('s');
      break;
    case Type::character:
      fits = conversion.starts_with('c');
      break;
    case Type::int16:
      fits = conversion.starts_with("hd");
      break;
    case Type::uint16:
      fits = conversion.starts_with("hu");
      break;
    case Type::int32:
    case Type::int64:
      fits = is_integer_conversion('d');
      break;
    case Type::uint32:
    case Type::uint64:
      fits = is_integer_conversion('u');
      break;
    default:
      fits = !conversion.empty() && std::string_view("fegEG").find(conversion[0]) != std::string_view::npos;
  }
  if (fits) return {};
  return "its conversion does not fit the type " + std::string(file_name(type));
}

}  // namespace quire::sdds
