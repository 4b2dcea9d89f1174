#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/type.hpp"

namespace quire {

/// A small value in memory, as attributes hold it: a scalar or an n-dimensional array of one type.
class Value {
 public:
  Value() : strings_{std::string()} {}  ///< an empty string

  /// Scalars, with implicit conversion: set("time", 1.2e-9, "s").
  template <class Number>
  requires requires { TypeOf<Number>::value; }
  Value(Number number)
      : type_(TypeOf<Number>::value), bytes_(copy_of(std::as_bytes(std::span<const Number>(&number, 1)))) {}
  Value(std::string text) : strings_{std::move(text)} {}
  Value(const char* text) : strings_{text} {}

  /// One-dimensional arrays.
  template <class Number>
  requires requires { TypeOf<Number>::value; }
  explicit Value(std::span<const Number> numbers)
      : type_(TypeOf<Number>::value), shape_{numbers.size()}, bytes_(copy_of(std::as_bytes(numbers))) {}

  /// Any number type: `bytes` are elements in native byte order, as many as the shape has (usage error otherwise).
  /// An empty shape is a scalar.
  static Value numbers(Type type, std::vector<std::uint64_t> shape, std::span<const std::byte> bytes);
  static Value texts(std::vector<std::uint64_t> shape, std::vector<std::string> strings);

  [[nodiscard]] Type type() const noexcept { return type_; }
  [[nodiscard]] const std::vector<std::uint64_t>& shape() const noexcept { return shape_; }
  [[nodiscard]] bool is_scalar() const noexcept { return shape_.empty(); }
  [[nodiscard]] std::uint64_t count() const noexcept;

  /// The elements of a number or character value, native byte order.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  /// The elements of a string value.
  [[nodiscard]] const std::vector<std::string>& strings() const noexcept { return strings_; }

  /// Element `index` in the requested type. Throws type errors for strings and if information would be lost.
  [[nodiscard]] double as_double(std::size_t index = 0) const;
  [[nodiscard]] std::int64_t as_integer(std::size_t index = 0) const;
  /// Element `index` as text: strings unchanged, numbers with the shortest digits that read back to the same value.
  [[nodiscard]] std::string as_text(std::size_t index = 0) const;

  /// The same values in another type. Throws type errors when `lossy` is false and a value would change.
  [[nodiscard]] Value converted_to(Type type, bool lossy = false) const;

  [[nodiscard]] bool operator==(const Value&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(type_, shape_, bytes_, strings_);
  }

 private:
  // Not inline: GCC 12 would warn of an overflow that cannot occur.
  [[nodiscard]] static std::vector<std::byte> copy_of(std::span<const std::byte> bytes);

  Type type_ = Type::string;
  std::vector<std::uint64_t> shape_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

}  // namespace quire
