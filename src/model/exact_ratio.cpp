#include "quire/spi/model/exact_ratio.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace quire {
namespace {

// A remainder times ten stays below 2^128.
constexpr UnsignedInt128 limit = UnsignedInt128{1} << 120;
// Far beyond the range of float64, and far from an overflow of sums.
constexpr int most_tens = 1'000'000;
constexpr std::uint64_t most_whole = std::uint64_t{1} << 53;

UnsignedInt128 common_factor(UnsignedInt128 a, UnsignedInt128 b) {
  while (b != 0) {
    const UnsignedInt128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<UnsignedInt128> product(UnsignedInt128 a, UnsignedInt128 b) {
  if (a != 0 && b > (limit - 1) / a) return std::nullopt;
  return a * b;
}

std::string digits_of(UnsignedInt128 whole) {
  std::string digits;
  for (; whole != 0; whole /= 10) digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(whole % 10)));
  return digits;
}

int clamped(std::int64_t tens) { return static_cast<int>(std::clamp<std::int64_t>(tens, -most_tens, most_tens)); }

}  // namespace

void ExactRatio::reduce() {
  const UnsignedInt128 common = common_factor(over_, under_);
  over_ /= common;
  under_ /= common;
  for (; over_ % 10 == 0; over_ /= 10) ten_ = clamped(ten_ + 1);
  for (; under_ % 10 == 0; under_ /= 10) ten_ = clamped(ten_ - 1);
}

ExactRatio ExactRatio::power_of_ten(int exponent) {
  ExactRatio result;
  result.ten_ = clamped(exponent);
  return result;
}

ExactRatio ExactRatio::of(double value) {
  if (!(value > 0)) return power_of_ten(-most_tens);
  if (!std::isfinite(value)) return power_of_ten(most_tens);
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  return of(std::string_view(text.data(), end)).value_or(ExactRatio());
}

std::optional<ExactRatio> ExactRatio::of(std::string_view decimal) {
  ExactRatio result;
  result.over_ = 0;
  const std::size_t mark = std::min(decimal.find_first_of("eE"), decimal.size());
  std::int64_t tens = 0;
  bool is_fraction = false;
  for (const char c : decimal.substr(0, mark)) {
    if (c == '.') {
      is_fraction = true;
      continue;
    }
    // Digits beyond the 35th are cut off: 10^36 is near the limit.
    const bool has_room = result.over_ < limit / 100;
    if (has_room) result.over_ = result.over_ * 10 + static_cast<unsigned>(c - '0');
    tens += (has_room ? 0 : 1) - (is_fraction ? 1 : 0);
  }
  if (result.over_ == 0) return std::nullopt;
  if (mark < decimal.size()) {
    std::string_view exponent = decimal.substr(mark + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int stated = 0;
    static_cast<void>(std::from_chars(exponent.data(), exponent.data() + exponent.size(), stated));
    tens += stated;
  }
  result.ten_ = clamped(tens);
  result.reduce();
  return result;
}

ExactRatio ExactRatio::inverse() const {
  ExactRatio result;
  result.over_ = under_;
  result.under_ = over_;
  result.ten_ = -ten_;
  return result;
}

ExactRatio ExactRatio::operator*(const ExactRatio& other) const {
  const UnsignedInt128 first = common_factor(over_, other.under_);
  const UnsignedInt128 second = common_factor(other.over_, under_);
  const auto over = product(over_ / first, other.over_ / second);
  const auto under = product(under_ / second, other.under_ / first);
  ExactRatio result;
  if (over && under) {
    result.over_ = *over;
    result.under_ = *under;
  } else {
    const auto rounded = [](const ExactRatio& one) {
      return static_cast<double>(one.over_) / static_cast<double>(one.under_);
    };
    result = of(rounded(*this) * rounded(other));
  }
  result.ten_ = clamped(std::int64_t{result.ten_} + ten_ + other.ten_);
  result.reduce();
  return result;
}

ExactRatio ExactRatio::to_the(std::int64_t exponent) const {
  const ExactRatio factor = exponent < 0 ? inverse() : *this;
  ExactRatio result;
  for (std::int64_t i = 0; i < std::abs(exponent); ++i) result = result * factor;
  return result;
}

double ExactRatio::value() const {
  // Decimal digits by long division; from_chars rounds them. A last 1 replaces the remainder, so that no tie is broken
  // in the wrong direction.
  constexpr std::size_t enough = 40;
  std::string digits = digits_of(over_ / under_);
  UnsignedInt128 rest = over_ % under_;
  std::int64_t tens = ten_;
  for (; rest != 0 && digits.size() < enough; --tens) {
    rest *= 10;
    const auto digit = static_cast<int>(rest / under_);
    rest %= under_;
    if (!digits.empty() || digit != 0) digits.push_back(static_cast<char>('0' + digit));
  }
  if (rest != 0) {
    digits.push_back('1');
    --tens;
  }
  digits += "e" + std::to_string(tens);
  double result = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (done.ec == std::errc{}) return result;
  return tens < 0 ? 0 : std::numeric_limits<double>::infinity();
}

std::optional<ExactRatio::Whole> ExactRatio::whole() const {
  constexpr int most = 16;
  if (std::abs(ten_) > most) return std::nullopt;
  UnsignedInt128 tens = 1;
  for (int i = 0; i < std::abs(ten_); ++i) tens *= 10;
  UnsignedInt128 above = over_;
  UnsignedInt128 below = under_;
  (ten_ < 0 ? below : above) = product(ten_ < 0 ? under_ : over_, tens).value_or(0);
  if (above == 0 || below == 0) return std::nullopt;
  const UnsignedInt128 common = common_factor(above, below);
  above /= common;
  below /= common;
  if (above >= most_whole || below >= most_whole) return std::nullopt;
  return Whole{static_cast<std::uint64_t>(above), static_cast<std::uint64_t>(below)};
}

}  // namespace quire
