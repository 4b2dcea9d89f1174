#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quire {

/// The element types of columns, fields and attributes.
enum class Type : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  float80,    ///< x87 extended precision, 16 bytes in memory, of which the first 10 are used
  character,  ///< one byte of text
  string,     ///< text of any length; no fixed size
};

/// Bytes of one element in memory and in every fixed-size encoding; 0 for strings.
[[nodiscard]] std::size_t size_of(Type type) noexcept;

/// The name used in messages, on the command line and in Python: "float64", "string", ...
[[nodiscard]] std::string_view name(Type type) noexcept;

/// The inverse of name(). Throws usage errors.
[[nodiscard]] Type type_named(std::string_view name);

[[nodiscard]] bool is_integer(Type type) noexcept;
[[nodiscard]] bool is_signed_integer(Type type) noexcept;
[[nodiscard]] bool is_floating(Type type) noexcept;

/// True if every value of `from` has an equal value of `to` (int32 -> float64 yes, int64 -> float64 no).
[[nodiscard]] bool converts_without_loss(Type from, Type to) noexcept;

template <class Value>
struct TypeOf;
template <>
struct TypeOf<std::int8_t> {
  static constexpr Type value = Type::int8;
};
template <>
struct TypeOf<std::uint8_t> {
  static constexpr Type value = Type::uint8;
};
template <>
struct TypeOf<std::int16_t> {
  static constexpr Type value = Type::int16;
};
template <>
struct TypeOf<std::uint16_t> {
  static constexpr Type value = Type::uint16;
};
template <>
struct TypeOf<std::int32_t> {
  static constexpr Type value = Type::int32;
};
template <>
struct TypeOf<std::uint32_t> {
  static constexpr Type value = Type::uint32;
};
template <>
struct TypeOf<std::int64_t> {
  static constexpr Type value = Type::int64;
};
template <>
struct TypeOf<std::uint64_t> {
  static constexpr Type value = Type::uint64;
};
template <>
struct TypeOf<float> {
  static constexpr Type value = Type::float32;
};
template <>
struct TypeOf<double> {
  static constexpr Type value = Type::float64;
};
template <>
struct TypeOf<long double> {
  static constexpr Type value = Type::float80;
};
template <>
struct TypeOf<char> {
  static constexpr Type value = Type::character;
};

}  // namespace quire
