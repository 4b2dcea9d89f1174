#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/interleave.hpp"
#include "quire/model/type.hpp"

namespace quire::kernels {

/// How many digits floating-point numbers get.
enum class Digits : std::uint8_t {
  shortest,  ///< as few as read back to the same value
  printf,    ///< those of the formats %15.8e, %22.15e and %22.18Le with their leading blanks, for float32, float64 and
             ///< float80: float64 and float80 may change by their last digits
};

/// The maximum length of a number.
inline constexpr std::size_t widest_number = 40;

/// Writes one number in native byte order, at any alignment, as text to `out`, which has room for widest_number bytes,
/// and returns the end of the text. Integers are decimal; nan and inf as by printf. Independent of the locale.
using NumberPrinter = char* (*)(const std::byte* value, char* out);

/// Independent. The printer for a type. Throws internal errors for strings and characters, which are no numbers.
[[nodiscard]] NumberPrinter number_printer(Type type, Digits digits);

/// Independent. The number of bytes of `count` numbers as text, without separators: for many types faster than printing
/// them.
[[nodiscard]] std::uint64_t printed_bytes(Type type, Digits digits, const Source& numbers, std::size_t count);

}  // namespace quire::kernels
