#include "format/text/digits.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace quire::text {

std::string zero_padded(std::uint64_t number, std::size_t width, int base) {
  std::array<char, 64> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), number, base).ptr;
  const auto count = static_cast<std::size_t>(end - text.data());
  std::string digits = std::string(width > count ? width - count : 0, '0').append(text.data(), count);
  std::ranges::transform(digits, digits.begin(),
                         [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  return digits;
}

std::string significant(double number, int digits) {
  std::array<char, 32> text;
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, digits).ptr};
}

}  // namespace quire::text
