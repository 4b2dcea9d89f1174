#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quire/model/type.hpp"

namespace quire {

/// Consecutive strings: string i is bytes [offsets[i], offsets[i+1]). An empty object has offsets {0}.
struct PackedStrings {
  std::vector<std::uint64_t> offsets{0};
  std::vector<char> bytes;

  [[nodiscard]] std::size_t size() const noexcept { return offsets.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return {bytes.data() + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
  void push_back(std::string_view text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(bytes.size());
  }
  void clear() {
    offsets.assign(1, 0);
    bytes.clear();
  }
};

/// Read-only view of the caller's values of one column. Does not own them.
///
/// Numbers: `count` values, `stride` bytes apart, native byte order. Strings: one of the two containers.
struct ConstView {
  Type type = Type::float64;
  std::uint64_t count = 0;
  const std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;
  std::variant<std::monostate, std::span<const std::string>, const PackedStrings*> strings;

  ConstView() = default;
  /// Any contiguous range of numbers that outlives the expression: a named vector or a span, not a temporary vector.
  template <std::ranges::contiguous_range Range>
  requires std::ranges::borrowed_range<Range> && requires { TypeOf<std::ranges::range_value_t<Range>>::value; }
  ConstView(Range&& values)
      : type(TypeOf<std::ranges::range_value_t<Range>>::value),
        count(std::ranges::size(values)),
        data(reinterpret_cast<const std::byte*>(std::ranges::data(values))),
        stride(sizeof(std::ranges::range_value_t<Range>)) {}
  ConstView(std::span<const std::string> values) : type(Type::string), count(values.size()), strings(values) {}
  ConstView(const PackedStrings& values) : type(Type::string), count(values.size()), strings(&values) {}
  ConstView(Type value_type, const std::byte* first, std::uint64_t value_count, std::ptrdiff_t byte_stride)
      : type(value_type), count(value_count), data(first), stride(byte_stride) {}

  /// String `i` of a string view.
  [[nodiscard]] std::string_view text(std::uint64_t i) const;
  /// Rows [first, first + rows) of the same memory.
  [[nodiscard]] ConstView part(std::uint64_t first, std::uint64_t rows) const;
  /// True if the numbers are contiguous.
  [[nodiscard]] bool is_contiguous() const noexcept { return stride == static_cast<std::ptrdiff_t>(size_of(type)); }
  /// False in plans without data.
  [[nodiscard]] bool has_memory() const noexcept { return data != nullptr || strings.index() != 0; }

 private:
  std::uint64_t first_string_ = 0;
};

/// The caller's memory for values that are read: numbers are stored at `data`, strings appended to `strings` in row
/// order.
struct View {
  Type type = Type::float64;
  std::uint64_t count = 0;
  std::byte* data = nullptr;
  std::ptrdiff_t stride = 0;
  PackedStrings* strings = nullptr;

  View() = default;
  template <std::ranges::contiguous_range Range>
  requires std::ranges::borrowed_range<Range> && requires { TypeOf<std::ranges::range_value_t<Range>>::value; }
  View(Range&& values)
      : type(TypeOf<std::ranges::range_value_t<Range>>::value),
        count(std::ranges::size(values)),
        data(reinterpret_cast<std::byte*>(std::ranges::data(values))),
        stride(sizeof(std::ranges::range_value_t<Range>)) {}
  View(PackedStrings& values, std::uint64_t rows) : type(Type::string), count(rows), strings(&values) {}
  View(Type value_type, std::byte* first, std::uint64_t value_count, std::ptrdiff_t byte_stride)
      : type(value_type), count(value_count), data(first), stride(byte_stride) {}

  [[nodiscard]] bool is_contiguous() const noexcept { return stride == static_cast<std::ptrdiff_t>(size_of(type)); }
};

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
