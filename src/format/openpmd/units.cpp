#include "format/openpmd/units.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

namespace quire::hdf5 {
namespace {

// CODATA 2022, as in expressions.
constexpr double speed_of_light = 299792458.0;
constexpr double elementary_charge = 1.602176634e-19;
constexpr double electron_mass = 9.1093837139e-31;
constexpr double proton_mass = 1.67262192595e-27;

struct NamedUnit {
  std::string_view name;
  SiUnit unit;
};

constexpr std::array units{
    NamedUnit{"m", {{1}, 1}},
    NamedUnit{"kg", {{0, 1}, 1}},
    NamedUnit{"g", {{0, 1}, 1e-3}},
    NamedUnit{"s", {{0, 0, 1}, 1}},
    NamedUnit{"A", {{0, 0, 0, 1}, 1}},
    NamedUnit{"K", {{0, 0, 0, 0, 1}, 1}},
    NamedUnit{"mol", {{0, 0, 0, 0, 0, 1}, 1}},
    NamedUnit{"cd", {{0, 0, 0, 0, 0, 0, 1}, 1}},
    NamedUnit{"Hz", {{0, 0, -1}, 1}},
    NamedUnit{"N", {{1, 1, -2}, 1}},
    NamedUnit{"Pa", {{-1, 1, -2}, 1}},
    NamedUnit{"J", {{2, 1, -2}, 1}},
    NamedUnit{"W", {{2, 1, -3}, 1}},
    NamedUnit{"C", {{0, 0, 1, 1}, 1}},
    NamedUnit{"V", {{2, 1, -3, -1}, 1}},
    NamedUnit{"F", {{-2, -1, 4, 2}, 1}},
    NamedUnit{"Ohm", {{2, 1, -3, -2}, 1}},
    NamedUnit{"S", {{-2, -1, 3, 2}, 1}},
    NamedUnit{"Wb", {{2, 1, -2, -1}, 1}},
    NamedUnit{"T", {{0, 1, -2, -1}, 1}},
    NamedUnit{"H", {{2, 1, -2, -2}, 1}},
    NamedUnit{"rad", {{}, 1}},
    NamedUnit{"deg", {{}, std::numbers::pi / 180}},
    NamedUnit{"pi", {{}, std::numbers::pi}},
    NamedUnit{"eV", {{2, 1, -2}, elementary_charge}},
    NamedUnit{"e", {{0, 0, 1, 1}, elementary_charge}},
    NamedUnit{"c", {{1, 0, -1}, speed_of_light}},
    NamedUnit{"m_e", {{0, 1}, electron_mass}},
    NamedUnit{"m_p", {{0, 1}, proton_mass}},
};

constexpr std::array<std::pair<std::string_view, double>, 12> prefixes{{{"f", 1e-15},
                                                                        {"p", 1e-12},
                                                                        {"n", 1e-9},
                                                                        {"u", 1e-6},
                                                                        {"\xc2\xb5", 1e-6},
                                                                        {"\xce\xbc", 1e-6},
                                                                        {"m", 1e-3},
                                                                        {"c", 1e-2},
                                                                        {"k", 1e3},
                                                                        {"M", 1e6},
                                                                        {"G", 1e9},
                                                                        {"T", 1e12}}};

/// Names that text_of() prefers, of each dimension the SI unit first.
constexpr std::array<std::string_view, 58> usual{
    "m",   "cm",    "mm",    "um",    "nm",     "s",    "ms",    "us",    "ns",    "ps",    "fs",  "kg",
    "g",   "A",     "kA",    "mA",    "K",      "C",    "nC",    "pC",    "fC",    "e",     "V",   "kV",
    "MV",  "V/m",   "kV/m",  "MV/m",  "GV/m",   "T",    "mT",    "T/m",   "J",     "eV",    "keV", "MeV",
    "GeV", "W",     "N",     "m/s",   "kg m/s", "eV/c", "keV/c", "MeV/c", "GeV/c", "m_e c", "m^2", "m^3",
    "1/m", "1/m^2", "1/m^3", "C/m^2", "C/m^3",  "A/m",  "A/m^2", "1/s",   "Pa",    "Ohm"};

SiUnit product(const SiUnit& a, const SiUnit& b, double power) {
  SiUnit result = a;
  for (std::size_t i = 0; i < result.dimension.size(); ++i) result.dimension[i] += power * b.dimension[i];
  if (power == 1) {
    result.factor *= b.factor;
  } else if (power == -1) {
    result.factor /= b.factor;
  } else {
    result.factor *= std::pow(b.factor, power);
  }
  return result;
}

std::optional<SiUnit> named(std::string_view name) {
  for (const NamedUnit& known : units) {
    if (known.name == name) return known.unit;
  }
  for (const auto& [prefix, factor] : prefixes) {
    if (!name.starts_with(prefix)) continue;
    for (const NamedUnit& known : units) {
      if (known.name == name.substr(prefix.size())) {
        return SiUnit{known.unit.dimension, factor * known.unit.factor};
      }
    }
  }
  return std::nullopt;
}

/// The text with the codes of SDDS for formatted symbols replaced (specs/sdds.md section 2).
std::string without_codes(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> codes{
      {{"m$be$n", "m_e "}, {"m$bp$n", "m_p "}, {"$gp$r", " pi "}, {"$gm$r", "u"}, {"$gW$r", "Ohm"}, {"$a", "^"}}};
  std::string plain(text);
  const auto replace = [&plain](std::string_view code, std::string_view by) {
    for (std::size_t at = plain.find(code); at != std::string::npos; at = plain.find(code, at + by.size())) {
      plain.replace(at, code.size(), by);
    }
  };
  for (const auto& [code, by] : codes) replace(code, by);
  replace("$n", " ");
  replace("**", "^");
  return plain;
}

/// Reads a product from left to right; a slash divides by the next factor only.
class UnitParser {
 public:
  explicit UnitParser(std::string_view text) : text_(text) {}

  std::optional<SiUnit> whole() {
    const auto unit = parse_product();
    return at_ == text_.size() ? unit : std::nullopt;
  }

 private:
  static constexpr int deepest = 8;

  std::optional<SiUnit> parse_product() {
    SiUnit result;
    bool divides = false;
    bool has_factor = false;
    while (at_ < text_.size() && text_[at_] != ')') {
      const char next = text_[at_];
      if (next == '/' || next == '*' || next == ' ') {
        if (divides && next != ' ') return std::nullopt;
        divides = divides || next == '/';
        ++at_;
        continue;
      }
      const auto factor = parse_factor();
      if (!factor) return std::nullopt;
      result = product(result, *factor, divides ? -1 : 1);
      divides = false;
      has_factor = true;
    }
    if (divides || !has_factor) return std::nullopt;
    return result;
  }

  std::optional<SiUnit> parse_factor() {
    if (text_[at_] == '(') {
      if (++depth_ > deepest) return std::nullopt;
      ++at_;
      const auto inner = parse_product();
      if (!inner || at_ == text_.size()) return std::nullopt;
      ++at_;
      --depth_;
      return powered(*inner);
    }
    if (const auto number = parse_number(false)) return powered({{}, *number});
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const auto unit = named(text_.substr(at_, end - at_));
    at_ = end;
    return unit ? powered(*unit) : std::nullopt;
  }

  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  }

  std::optional<double> parse_number(bool may_be_negative) {
    const char* first = text_.data() + at_;
    if (first == text_.data() + text_.size() || is_letter(*first) || (*first == '-' && !may_be_negative)) {
      return std::nullopt;
    }
    double value = 0;
    const auto result = std::from_chars(first, text_.data() + text_.size(), value);
    if (result.ec != std::errc{}) return std::nullopt;
    at_ += static_cast<std::size_t>(result.ptr - first);
    return value;
  }

  /// A unit to the power that follows it.
  std::optional<SiUnit> powered(const SiUnit& unit) {
    const bool has_mark = at_ < text_.size() && text_[at_] == '^';
    if (has_mark) ++at_;
    const auto power = parse_number(true);
    if (power) return product({}, unit, *power);
    return has_mark ? std::nullopt : std::optional(unit);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

std::string number_text(double number) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string si_product(const std::array<double, 7>& dimension) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 7> order{
      {{"kg", 1}, {"m", 0}, {"s", 2}, {"A", 3}, {"K", 4}, {"mol", 5}, {"cd", 6}}};
  std::string above;
  std::string below;
  for (const auto& [name, i] : order) {
    const double power = dimension[i];
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    side += (power < 0 ? "/" : above.empty() ? "" : " ") + std::string(name);
    if (std::abs(power) != 1) side += "^" + number_text(std::abs(power));
  }
  return (above.empty() && !below.empty() ? "1" : above) + below;
}

}  // namespace

std::optional<SiUnit> parse_unit(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return SiUnit{};
  const std::string plain = without_codes(text);
  return UnitParser(plain).whole();
}

std::string text_of(const SiUnit& unit) {
  std::string name;  // of the SI unit of this dimension
  for (const std::string_view candidate : usual) {
    const auto known = parse_unit(candidate);
    if (known == unit) return std::string(candidate);
    if (name.empty() && known && known->factor == 1 && known->dimension == unit.dimension) name = candidate;
  }
  if (name.empty()) name = si_product(unit.dimension);
  if (unit.factor == 1) return name;
  return number_text(unit.factor) + (name.empty() ? "" : name.starts_with('1') ? name.substr(1) : " " + name);
}

SiUnit stored_unit(std::string_view text) { return parse_unit(text).value_or(SiUnit{}); }

}  // namespace quire::hdf5
