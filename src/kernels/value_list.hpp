#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "quire/model/value.hpp"

namespace quire::kernels {

/// Values of a column as natural numbers in the same order. The key of NaN is the greatest of all, and 0 and -0 have
/// one key, so that comparisons with a constant are intervals of keys, whatever the type.
using Key = std::uint64_t;

inline constexpr Key sign_bit = Key{1} << 63;
inline constexpr Key key_of_nan = std::numeric_limits<Key>::max();

constexpr Key key_of(std::signed_integral auto value) noexcept {
  return static_cast<Key>(static_cast<std::int64_t>(value)) ^ sign_bit;
}
constexpr Key key_of(std::unsigned_integral auto value) noexcept { return value; }
inline Key key_of(double value) noexcept {
  const auto bits = std::bit_cast<Key>(value + 0.0);  // the sum of -0 and 0 is 0
  if (std::isnan(value)) return key_of_nan;
  return (bits & sign_bit) != 0 ? ~bits : bits | sign_bit;
}
inline Key key_of(float value) noexcept { return key_of(static_cast<double>(value)); }

/// An interval of keys, both ends included.
struct KeyRange {
  Key lower = 0;
  Key upper = key_of_nan;
};

/// Rows that a list can have: their numbers have 24 bits.
inline constexpr std::size_t most_listed_rows = std::size_t{1} << 24;
inline constexpr std::size_t rows_per_bin = 512;

/// Rows with similar values, as files store it. All rows of one value are in one bin, and bins are in the order of
/// their values.
///
/// Its bytes are: the first row (u32); the form of the other rows (u8), and in that form
///   0 to 24  the number of rows between two rows, in as many bits
///   32       a bit for each row from the first to the last one
///   33       runs: the number of rows of a run (u32), then the number of rows up to the next one (u32), and so on
/// then, unless all have one value, the code of each row (u8): (key - lower) / 2^s, where s is the least exponent for
/// which that of `upper` has 8 bits. All numbers are little-endian, bits begin with the lowest one.
struct ListBin {
  Key lower = 0;  ///< the smallest key of its rows
  Key upper = 0;  ///< the greatest
  std::uint64_t offset = 0;
  std::uint32_t rows = 0;
  std::uint32_t checksum = 0;  ///< the lower half of the XXH3 of its bytes
};

/// Numbers of the forms of rows beside the widths of distances.
inline constexpr std::uint8_t form_bits = 32;
inline constexpr std::uint8_t form_runs = 33;
inline constexpr std::uint8_t widest_distance = 24;
inline constexpr std::size_t list_head_bytes = 5;  ///< the first row and the form

/// The exponent s of the codes of a bin.
constexpr int code_shift(Key lower, Key upper) noexcept {
  const int width = static_cast<int>(std::bit_width(upper - lower));
  return width > 8 ? width - 8 : 0;
}

/// The rows of a column in the order of their values, in bins of about rows_per_bin rows.
struct ValueList {
  std::vector<ListBin> bins;
  std::vector<std::byte> content;
};

/// Independent. Lists the rows of a column of numbers. Rows of equal values are never in two bins. Throws usage errors
/// for strings, for long double, and for more than most_listed_rows rows.
[[nodiscard]] ValueList list_values(const ConstView& values);

/// Rows with keys in an interval, ascending.
struct ListedRows {
  std::vector<std::uint32_t> certain;
  std::vector<std::uint32_t> candidates;  ///< rows whose values decide
};

/// Independent. Finds the rows of `total` rows with keys in an interval among those of some bins, whose bytes are
/// `content`, the first of them at offset `begin` of the list. Throws file errors for bins that are damaged.
[[nodiscard]] ListedRows listed_rows(std::span<const ListBin> bins, std::span<const std::byte> content,
                                     std::uint64_t begin, const KeyRange& range, std::size_t total);

/// Independent. Whether a list is one of these values: each row is once in it, with its code, in the bin of its value.
/// Throws the errors of list_values() and listed_rows().
[[nodiscard]] bool is_list_of(const ConstView& values, std::span<const ListBin> bins,
                              std::span<const std::byte> content);

/// Independent. The rows that two ascending lists have in common.
[[nodiscard]] std::vector<std::uint32_t> common_rows(std::span<const std::uint32_t> one,
                                                     std::span<const std::uint32_t> other);

/// Independent. The rows that one of two ascending lists has, ascending, each once.
[[nodiscard]] std::vector<std::uint32_t> united_rows(std::span<const std::uint32_t> one,
                                                     std::span<const std::uint32_t> other);

}  // namespace quire::kernels
