#include "format/sdds/elements.hpp"

#include <algorithm>

namespace quire::sdds {
namespace {

constexpr std::size_t float80_value_bytes = 10;
constexpr std::size_t float80_swapped_bytes = 12;  ///< of 16: the last four stay (specs/sdds.md section 4.3)

void swap_elements(Type type, std::span<std::byte> bytes) {
  const std::size_t size = size_of(type);
  const std::size_t swapped = type == Type::float80 ? float80_swapped_bytes : size;
  for (std::size_t first = 0; first + size <= bytes.size(); first += size) {
    const auto element = bytes.subspan(first, swapped);
    std::reverse(element.begin(), element.end());
  }
}

/// Of little-endian float80 elements.
void clear_padding(Type type, std::span<std::byte> bytes) {
  if (type != Type::float80) return;
  const std::size_t size = size_of(type);
  for (std::size_t first = 0; first + size <= bytes.size(); first += size) {
    const auto padding = bytes.subspan(first + float80_value_bytes, size - float80_value_bytes);
    std::fill(padding.begin(), padding.end(), std::byte{0});
  }
}

}  // namespace

std::vector<std::byte> native_elements(Type type, ByteOrder order, std::span<const std::byte> bytes) {
  std::vector<std::byte> elements(bytes.begin(), bytes.end());
  if (order != native_order) swap_elements(type, elements);
  clear_padding(type, elements);
  return elements;
}

std::vector<std::byte> file_elements(const Value& value, ByteOrder order) {
  std::vector<std::byte> elements(value.bytes().begin(), value.bytes().end());
  clear_padding(value.type(), elements);
  if (order != native_order) swap_elements(value.type(), elements);
  return elements;
}

}  // namespace quire::sdds
