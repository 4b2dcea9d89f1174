#pragma once

#include <limits>
#include <type_traits>
#include <utility>

namespace quire {

/// 2 to the number of value bits of an integer type: the first number beyond its range, exact in every floating type.
template <class Floating, class Integer>
inline constexpr Floating range_end = static_cast<Floating>(std::make_unsigned_t<Integer>{1}
                                                            << (std::numeric_limits<Integer>::digits - 1)) *
                                      2;

/// Converts any value: numbers out of range become the nearest limit, fractions are truncated, NaN becomes 0.
/// Characters are bytes. Free of branches where loops over it should be vectorised.
template <class Target, class Source>
[[nodiscard]] constexpr Target forced(Source value) noexcept {
  using Limits = std::numeric_limits<Target>;
  if constexpr (std::is_same_v<Source, char> || std::is_same_v<Target, char>) {
    return static_cast<Target>(value);
  } else if constexpr (std::is_floating_point_v<Source> && std::is_integral_v<Target>) {
    const bool above_low = value >= static_cast<Source>(Limits::min());
    const bool below_high = value < range_end<Source, Target>;
    if (above_low && below_high) return static_cast<Target>(value);
    if (above_low) return Limits::max();
    return below_high ? Limits::min() : Target{};
  } else if constexpr (std::is_integral_v<Source> && std::is_integral_v<Target>) {
    if (std::cmp_less(value, Limits::min())) return Limits::min();
    if (std::cmp_greater(value, Limits::max())) return Limits::max();
    return static_cast<Target>(value);
  } else {
    return static_cast<Target>(value);
  }
}

/// True if `value` has an equal value of type Target; NaN has one in every floating type.
template <class Target, class Source>
[[nodiscard]] constexpr bool fits(Source value) noexcept {
  if constexpr (std::is_same_v<Source, Target> || std::is_same_v<Source, char> || std::is_same_v<Target, char>) {
    return true;
  } else if constexpr (std::is_floating_point_v<Source> && std::is_integral_v<Target>) {
    // Check the range first: the largest integer, to which larger values are clamped, may round up to `value` again.
    const bool in_range =
        value >= static_cast<Source>(std::numeric_limits<Target>::min()) && value < range_end<Source, Target>;
    return in_range && static_cast<Source>(forced<Target>(value)) == value;
  } else if constexpr (std::is_floating_point_v<Source>) {
    return static_cast<Source>(static_cast<Target>(value)) == value || value != value;
  } else if constexpr (std::is_floating_point_v<Target>) {
    if constexpr (std::numeric_limits<Source>::digits <= std::numeric_limits<Target>::digits) {
      return true;
    } else {
      const auto rounded = static_cast<Target>(value);
      return rounded < range_end<Target, Source> && forced<Source>(rounded) == value;
    }
  } else {
    return std::in_range<Target>(value);
  }
}

}  // namespace quire
