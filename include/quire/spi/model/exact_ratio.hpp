#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quire {

__extension__ using UnsignedInt128 = unsigned __int128;

/// A positive number as a ratio of whole numbers times a power of ten: that of units is exact, so that a conversion
/// rounds once. A result that needs more than 120 bits on one side is rounded to float64.
class ExactRatio {
 public:
  /// The number 1.
  ExactRatio() = default;

  /// Independent. The ratio of a positive float64: of the shortest decimal number that is rounded to it. Infinity and 0
  /// become numbers beyond the range of float64.
  [[nodiscard]] static ExactRatio of(double value);
  /// Independent. The ratio of a decimal number without a sign, such as "1.602176634e-19"; no value for zero.
  [[nodiscard]] static std::optional<ExactRatio> of(std::string_view decimal);

  /// Independent. Ten to a power.
  [[nodiscard]] static ExactRatio power_of_ten(int exponent);

  /// Independent. Product and ratio.
  [[nodiscard]] ExactRatio operator*(const ExactRatio& other) const;
  [[nodiscard]] ExactRatio operator/(const ExactRatio& other) const { return *this * other.inverse(); }
  [[nodiscard]] ExactRatio inverse() const;
  /// Independent. The power with a whole exponent.
  [[nodiscard]] ExactRatio to_the(std::int64_t exponent) const;

  /// Independent. The nearest float64; 0 or infinity beyond its range.
  [[nodiscard]] double value() const;
  /// Independent. The number as a ratio of two whole numbers without a common factor, if both are below 2^53.
  struct Whole {
    std::uint64_t over = 1;
    std::uint64_t under = 1;
  };
  [[nodiscard]] std::optional<Whole> whole() const;

 private:
  void reduce();

  UnsignedInt128 over_ = 1;
  UnsignedInt128 under_ = 1;
  int ten_ = 0;
};

}  // namespace quire
