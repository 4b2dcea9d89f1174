#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

namespace quire {

/// The smallest and the greatest value and the number of NaN of some consecutive rows of a column, in each block of
/// 4096 rows that they touch: as the index beside a file stores them (python/quire/io/sidecar.py). Limits of float80
/// are float64 that enclose the values.
class BlockLimits {
 public:
  /// Rows that have limits of their own; the first block begins with the first row of the table.
  static constexpr std::uint64_t block_rows = 4096;

  BlockLimits() = default;
  /// For values of numbers of this type.
  explicit BlockLimits(Type type) : type_(type) {}

  /// Whether columns of this type have limits.
  [[nodiscard]] static bool limits(Type type) noexcept { return is_integer(type) || is_floating(type); }

  [[nodiscard]] Type type() const noexcept { return type_; }
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// The memory that the limits take.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return lower_.size() + upper_.size() + nans_.size() * 2; }

  /// Independent. Takes the values from row `first` on, which follow those before.
  void add(std::uint64_t first, const ConstView& values);
  /// Independent. Takes limits of rows that follow these.
  void append(const BlockLimits& next);
  /// Pure. The section of an index, little-endian: the smallest values of all blocks, the greatest ones, the numbers of
  /// NaN. The limits of a block of NaN alone are NaN.
  [[nodiscard]] std::vector<std::byte> section() const;

  template <class Archive>
  void archive(Archive& a) {
    a(type_, first_block_, rows_, lower_, upper_, nans_);
  }

 private:
  template <class Number>
  void add_numbers(std::uint64_t first, const ConstView& values);
  template <class Limit>
  void widen(std::uint64_t block, Limit lower, Limit upper, std::uint64_t nans);

  Type type_ = Type::float64;
  std::uint64_t first_block_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<std::byte> lower_{};  ///< greater than the upper limits in a block of NaN alone
  std::vector<std::byte> upper_{};
  std::vector<std::uint16_t> nans_{};
};

}  // namespace quire
