#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace quire::text {

/// Independent. The digits of a number, with zeros before them up to `width`; `base` 16 in upper case.
[[nodiscard]] std::string zero_padded(std::uint64_t number, std::size_t width, int base = 10);

/// Independent. A number as printf prints it by %.<digits>g in the C locale, of at most 17 digits.
[[nodiscard]] std::string significant(double number, int digits);

}  // namespace quire::text
