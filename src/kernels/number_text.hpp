#pragma once

#include <cstddef>
#include <cstdint>

#include "quire/model/type.hpp"

namespace quire::kernels {

/// The result of parsing a number.
struct NumberText {
  const char* end = nullptr;  ///< the position after the number; nullptr: no number
  bool fits = true;           ///< false: an integer beyond the range of its type

  [[nodiscard]] explicit operator bool() const noexcept { return end != nullptr; }
};

/// Independent. Parses the number at the beginning of the text [first, last) by the rules of scanf in the C locale:
/// leading white space and a plus sign are allowed, text after the number is left (a Fortran exponent `1.5D+03` ends at
/// the D). Integers are decimal, saturate at 64 bits and are then truncated to their type; `fits` reports that.
/// Floating-point numbers may be hexadecimal, inf and nan; they are rounded once, to the nearest value of the type, and
/// beyond its range to infinity or zero. `number` is only written if there is one.
template <class Number>
[[nodiscard]] NumberText parse_number(const char* first, const char* last, Number& number);

/// Independent. The same for a type known at run time; `out` has any alignment. Padding of float80 becomes zero.
/// Throws internal errors for characters and strings.
[[nodiscard]] NumberText parse_number(Type type, const char* first, const char* last, std::byte* out);

}  // namespace quire::kernels
