#include "query/unit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "model/unit_parser.hpp"
#include "quire/model/units.hpp"

namespace quire::query {
namespace {

std::string number_text(double number) {
  if (const auto ratio = units::exponent_of(number); ratio && ratio->under != 1) {
    return "(" + std::to_string(ratio->over) + "/" + std::to_string(ratio->under) + ")";
  }
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

/// A factor as written among others: in parentheses if it is composed itself.
std::string factor_text(const std::string& text, double exponent, bool is_alone) {
  // m$be$nc^2 would be an energy.
  const char* const composing = exponent == 1 ? "*/^ +-" : "*/^$ +-";
  const bool is_plain = (is_alone && exponent == 1) || text.find_first_of(composing) == std::string::npos;
  const std::string base = is_plain ? text : "(" + text + ")";
  return exponent == 1 ? base : base + "^" + number_text(exponent);
}

}  // namespace

Unit Unit::of(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return unknown();
  const std::string trimmed = text.substr(first, text.find_last_not_of(' ') - first + 1);
  if (trimmed == "1") return pure();
  Unit unit(State::known);
  unit.factors_.emplace_back(trimmed, 1.0);
  return unit;
}

std::string Unit::text() const {
  std::string above;
  std::string below;
  for (const auto& [text, exponent] : factors_) {
    if (exponent > 0) above += (above.empty() ? "" : " ") + factor_text(text, exponent, factors_.size() == 1);
    if (exponent < 0) below += "/" + factor_text(text, -exponent, false);
  }
  // "m c" is a momentum over mass and c, a number.
  if (above == "m c") above = "m*c";
  return above.empty() && !below.empty() ? "1" + below : above + below;
}

Unit Unit::joined(const Unit& other, double sign) const {
  if (state_ == State::unknown || other.state_ == State::unknown) return unknown();
  Unit result = *this;
  for (const auto& [text, exponent] : other.factors_) {
    const auto same = std::ranges::find(result.factors_, text, &std::pair<std::string, double>::first);
    if (same == result.factors_.end()) {
      result.factors_.emplace_back(text, sign * exponent);
    } else {
      same->second += sign * exponent;
    }
  }
  std::erase_if(result.factors_, [](const auto& factor) { return factor.second == 0; });
  result.state_ = result.factors_.empty() ? State::pure : State::known;
  return result;
}

Unit Unit::times(const Unit& other) const { return joined(other, 1); }
Unit Unit::over(const Unit& other) const { return joined(other, -1); }

Unit Unit::to_the(double exponent) const {
  if (state_ != State::known) return *this;
  if (!std::isfinite(exponent)) return unknown();
  if (exponent == 0) return pure();
  Unit result = *this;
  for (auto& factor : result.factors_) factor.second *= exponent;
  return result;
}

bool Unit::is_one() const {
  const auto meaning = state_ == State::known ? find_unit(text()) : std::nullopt;
  return meaning && meaning->is_number() && meaning->factor() == 1;
}

bool Unit::agrees_with(const Unit& other) const {
  if (state_ != State::known || other.state_ != State::known) return true;
  if (text() == other.text()) return true;
  const auto meaning = find_unit(text(), MassTimesC::is_momentum);
  const auto wanted = find_unit(other.text(), MassTimesC::is_momentum);
  if (meaning && wanted && meaning->dimension == wanted->dimension && meaning->factor() == wanted->factor())
    return true;
  auto mine = factors_;
  auto theirs = other.factors_;
  std::ranges::sort(mine);
  std::ranges::sort(theirs);
  return mine == theirs;
}

const Unit& Unit::or_of(const Unit& other) const {
  if (state_ == State::known || (state_ == State::unknown && other.state_ == State::pure)) return *this;
  return other;
}

}  // namespace quire::query
