#pragma once

#include <cstdint>

#include "quire/base/error.hpp"

namespace quire {

/// Sums and products of sizes that come from files or users: an overflow is a bad_file error, never a wrap.
[[nodiscard]] inline std::uint64_t checked_add(std::uint64_t left, std::uint64_t right) {
  std::uint64_t result = 0;
  if (__builtin_add_overflow(left, right, &result)) {
    throw Error(ErrorKind::bad_file, "a size or offset exceeds 64 bits");
  }
  return result;
}

[[nodiscard]] inline std::uint64_t checked_multiply(std::uint64_t left, std::uint64_t right) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(left, right, &result)) {
    throw Error(ErrorKind::bad_file, "a product of sizes exceeds 64 bits");
  }
  return result;
}

/// The smallest multiple of `unit` (a power of two or not, never 0) that is at least `value`.
[[nodiscard]] inline std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return checked_add(value, unit - 1) / unit * unit;
}

}  // namespace quire
