#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace quire
