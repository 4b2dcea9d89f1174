#include "quire/model/type.hpp"

#include <array>
#include <string>

#include "quire/base/error.hpp"

namespace quire {
namespace {

enum class Family : std::uint8_t { signed_integer, unsigned_integer, floating, text };

/// All properties of the types, one line each. `digits` is the number of value bits that are kept exactly.
struct Traits {
  Type type;
  std::string_view name;
  std::size_t size;
  Family family;
  int digits;
};

constexpr std::array<Traits, 13> table{{
    {Type::int8, "int8", 1, Family::signed_integer, 7},
    {Type::uint8, "uint8", 1, Family::unsigned_integer, 8},
    {Type::int16, "int16", 2, Family::signed_integer, 15},
    {Type::uint16, "uint16", 2, Family::unsigned_integer, 16},
    {Type::int32, "int32", 4, Family::signed_integer, 31},
    {Type::uint32, "uint32", 4, Family::unsigned_integer, 32},
    {Type::int64, "int64", 8, Family::signed_integer, 63},
    {Type::uint64, "uint64", 8, Family::unsigned_integer, 64},
    {Type::float32, "float32", 4, Family::floating, 24},
    {Type::float64, "float64", 8, Family::floating, 53},
    {Type::float80, "float80", 16, Family::floating, 64},
    {Type::character, "character", 1, Family::text, 0},
    {Type::string, "string", 0, Family::text, 0},
}};

const Traits& traits(Type type) noexcept { return table[static_cast<std::size_t>(type)]; }

}  // namespace

std::size_t size_of(Type type) noexcept { return traits(type).size; }

std::string_view name(Type type) noexcept { return traits(type).name; }

Type type_named(std::string_view name) {
  std::string known;
  for (const Traits& entry : table) {
    if (entry.name == name) return entry.type;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(ErrorKind::usage, "there is no type \"" + std::string(name) + "\"").advise("the types are " + known);
}

bool is_integer(Type type) noexcept {
  return traits(type).family == Family::signed_integer || traits(type).family == Family::unsigned_integer;
}

bool is_signed_integer(Type type) noexcept { return traits(type).family == Family::signed_integer; }

bool is_floating(Type type) noexcept { return traits(type).family == Family::floating; }

bool converts_without_loss(Type from, Type to) noexcept {
  if (from == to) return true;
  const Traits& source = traits(from);
  const Traits& target = traits(to);
  if (source.family == Family::text || target.family == Family::text) return false;
  if (source.digits > target.digits) return false;
  if (source.family == Family::floating) return target.family == Family::floating;
  if (source.family == Family::signed_integer) return target.family != Family::unsigned_integer;
  return true;
}

}  // namespace quire
