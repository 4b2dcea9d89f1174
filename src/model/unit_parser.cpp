#include "model/unit_parser.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/characters.hpp"
#include "model/letter_case.hpp"
#include "model/unit_markup.hpp"
#include "model/unit_table.hpp"
#include "quire/base/error.hpp"

namespace quire::units {
namespace {

constexpr std::size_t longest = 200;
constexpr std::int64_t largest_exponent = 99;
constexpr std::int64_t largest_power = 1'000'000;  // of a base unit, after powers of powers
constexpr double smallest_value = 1e-290;
constexpr double largest_value = 1e290;
constexpr int deepest = 20;

enum class Kind : std::uint8_t { number, name, attached, power, sign, times, over, open, close, end };

struct Token {
  Kind kind = Kind::end;
  std::string_view text;
};

Error unknown(std::string_view text, const std::string& why) {
  return Error(ErrorKind::usage, "\"" + std::string(text) + "\" is not a known unit: " + why)
      .advise("write for example mm, MeV/c or kg*m/s^2");
}

// ---- Tokens

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

/// The length of the number at the beginning of a text, with an exponent of up to three digits; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t length = digits_at(text, 0);
  const std::size_t fraction = length < text.size() && text[length] == '.' ? digits_at(text, length + 1) : 0;
  if (length == 0 && fraction == 0) return 0;
  if (length < text.size() && text[length] == '.') length += 1 + fraction;
  if (length == text.size() || (text[length] != 'e' && text[length] != 'E')) return length;
  const std::size_t sign = length + 1 < text.size() && (text[length + 1] == '+' || text[length + 1] == '-') ? 1 : 0;
  const std::size_t digits = std::min<std::size_t>(digits_at(text, length + 1 + sign), 3);
  return digits == 0 ? length : length + 1 + sign + digits;
}

/// The length of the name at the beginning of a text.
std::size_t name_length(std::string_view text) {
  for (const std::string_view sign : {std::string_view("%"), std::string_view("\u00b0")}) {
    if (text.starts_with(sign)) return sign.size();
  }
  std::size_t length = 0;
  while (const std::size_t letter = letter_at(text.substr(length))) length += letter;
  return length;
}

Token sign_at(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, Kind>, 11> signs{{{"**", Kind::power},
                                                                     {"^", Kind::power},
                                                                     {"-", Kind::sign},
                                                                     {"+", Kind::sign},
                                                                     {"*", Kind::times},
                                                                     {"\u00b7", Kind::times},
                                                                     {"\u22c5", Kind::times},
                                                                     {".", Kind::times},
                                                                     {"/", Kind::over},
                                                                     {"(", Kind::open},
                                                                     {")", Kind::close}}};
  for (const auto& [sign, kind] : signs) {
    if (text.starts_with(sign)) return {kind, text.substr(0, sign.size())};
  }
  return {};
}

/// Some characters of a text, without a part of the last one and blanks at the end.
std::string beginning_of(std::string_view text) {
  constexpr std::size_t most = 20;
  std::size_t end = std::min(text.size(), most);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  while (end > 1 && is_blank(text[end - 1])) --end;
  return std::string(text.substr(0, end));
}

std::vector<Token> tokens_of(std::string_view plain, std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < plain.size();) {
    const std::string_view rest = plain.substr(at);
    if (is_blank(rest.front())) {
      ++at;
      continue;
    }
    Token token{Kind::number, rest.substr(0, number_length(rest))};
    if (token.text.empty()) token = {Kind::name, rest.substr(0, name_length(rest))};
    if (token.text.empty()) token = sign_at(rest);
    if (token.text.empty()) throw unknown(text, "'" + beginning_of(rest) + "' is not understood");
    tokens.push_back(token);
    at += token.text.size();
    if (token.kind != Kind::name) continue;
    const std::size_t sign = at < plain.size() && plain[at] == '-' ? 1 : 0;
    const std::size_t digits = digits_at(plain, at + sign);
    if (digits == 0) continue;
    tokens.push_back({Kind::attached, plain.substr(at, sign + digits)});
    at += sign + digits;
  }
  tokens.emplace_back();
  return tokens;
}

// ---- Arithmetic

Unit product(const Unit& a, const Unit& b) {
  Unit result{a.ratio * b.ratio, a.pi + b.pi, a.dimension};
  for (std::size_t i = 0; i < result.dimension.size(); ++i) {
    Exponent& sum = result.dimension[i];
    const Exponent& other = b.dimension[i];
    sum = {sum.over * other.under + other.over * sum.under, sum.under * other.under};
    const std::int64_t common = std::gcd(sum.over, sum.under);
    sum = {sum.over / common, sum.under / common};
  }
  return result;
}

Unit raised(const Unit& unit, const Exponent& exponent) {
  Unit result = unit;
  for (Exponent& power : result.dimension) {
    power = {power.over * exponent.over, power.under * exponent.under};
    const std::int64_t common = std::gcd(power.over, power.under);
    power = {power.over / common, power.under / common};
  }
  if (exponent.under == 1) {
    result.ratio = unit.ratio.to_the(exponent.over);
    result.pi = static_cast<int>(unit.pi * exponent.over);
  } else {
    result.ratio = ExactRatio::of(std::pow(unit.factor(), exponent.value()));
    result.pi = 0;
  }
  return result;
}

bool is_too_large(const Unit& unit) {
  return std::abs(unit.pi) > largest_power || std::ranges::any_of(unit.dimension, [](const Exponent& power) {
           return std::abs(power.over) > largest_power || power.under > largest_power;
         });
}

std::optional<Unit> named(std::string_view name);

/// The names of units that may be meant: those that differ in case alone, and the symbol of a unit that is spelled out.
std::string near_names(std::string_view wrong) {
  const std::string lower = in_lower_case(wrong);
  std::string found;
  const auto compare = [&](const std::string& name) {
    if (in_lower_case(name) == lower) found += (found.empty() ? "" : ", ") + name;
  };
  for (const Definition& unit : plain) compare(std::string(unit.name));
  for (const Definition& unit : prefixed) {
    compare(std::string(unit.name));
    for (const Prefix& prefix : prefixes) compare(std::string(prefix.name) + std::string(unit.name));
  }
  for (const Definition& word : spelled) {
    if (found.empty() && lower.starts_with(word.name)) found = word.text;
  }
  return found.empty() ? found : " (nearest: " + found + ")";
}

/// Reads one text: products, quotients and powers of names, numbers and brackets.
class Parser {
 public:
  Parser(std::string_view text, std::string_view plain) : text_(text), tokens_(tokens_of(plain, text)) {}

  Unit whole() {
    const Unit found = parse_product(0);
    if (next().kind != Kind::end) throw error("'" + std::string(next().text) + "' is not expected here");
    return found;
  }

 private:
  [[nodiscard]] const Token& next() const { return tokens_[at_]; }
  [[nodiscard]] Error error(const std::string& why) const { return unknown(text_, why); }

  /// Skips the next token and returns its text if it is of this kind.
  std::optional<std::string_view> take(Kind kind) {
    if (next().kind != kind) return std::nullopt;
    return tokens_[at_++].text;
  }

  [[nodiscard]] Unit checked(Unit unit) const {
    if (is_too_large(unit)) throw error("an exponent is too large");
    return unit;
  }

  /// A product of factors, from left to right.
  Unit parse_product(int depth) {
    Unit found = parse_power(depth);
    bool is_divided = false;
    while (true) {
      const Kind kind = next().kind;
      if (take(Kind::times)) {
        found = checked(product(found, parse_power(depth)));
      } else if (take(Kind::over)) {
        found = checked(product(found, raised(parse_power(depth), {-1, 1})));
        is_divided = true;
      } else if (kind == Kind::number || kind == Kind::name || kind == Kind::open) {
        if (is_divided) throw error("a blank after '/' can be read in two ways; write brackets");
        found = checked(product(found, parse_power(depth)));
      } else {
        return found;
      }
    }
  }

  /// A factor with its exponent.
  Unit parse_power(int depth) {
    const Unit found = parse_atom(depth);
    if (const auto attached = take(Kind::attached)) {
      const bool is_negative = attached->starts_with('-');
      return checked(raised(found, exponent(attached->substr(is_negative ? 1 : 0), is_negative, std::nullopt)));
    }
    if (!take(Kind::power)) return found;
    const bool is_bracketed = take(Kind::open).has_value();
    const auto sign = take(Kind::sign);
    const auto number = take(Kind::number);
    if (!number) throw error("an exponent must be a number");
    std::optional<std::string_view> divisor;
    if (is_bracketed && take(Kind::over)) {
      divisor = take(Kind::number);
      if (!divisor) throw error("an exponent must be a number");
    }
    const Exponent power = exponent(*number, sign && sign->front() == '-', divisor);
    if (is_bracketed && !take(Kind::close)) throw error("a bracket is not closed");
    return checked(raised(found, power));
  }

  /// An exponent that is not too large.
  [[nodiscard]] Exponent exponent(std::string_view number, bool is_negative,
                                  std::optional<std::string_view> divisor) const {
    const auto below = divisor ? ExactRatio::of(*divisor) : ExactRatio();
    if (!below) throw error("an exponent must be a number");
    const auto above = ExactRatio::of(number);
    if (!above) return {};
    const auto ratio = exponent_of((*above / *below).value());
    if (!ratio) throw error("the exponent " + std::string(number) + " is too large or no ratio of small numbers");
    return {is_negative ? -ratio->over : ratio->over, ratio->under};
  }

  /// A number, a named unit or a bracket.
  Unit parse_atom(int depth) {
    if (const auto number = take(Kind::number)) {
      const auto value = ExactRatio::of(*number);
      if (!value) throw error("0 is not a unit");
      return {*value};
    }
    if (const auto name = take(Kind::name)) {
      const auto unit = named(*name);
      if (!unit) throw error("'" + std::string(*name) + "' is not the name of a unit" + near_names(*name));
      return *unit;
    }
    if (depth < deepest && take(Kind::open)) {
      const Unit found = parse_product(depth + 1);
      if (!take(Kind::close)) throw error("a bracket is not closed");
      return found;
    }
    throw error(next().kind == Kind::end ? "a unit is missing" : "it is not complete");
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

/// The unit of a name with or without a prefix.
std::optional<Unit> named(std::string_view name) {
  if (name == "pi") return Unit{.ratio = {}, .pi = 1};
  if (const auto found = std::ranges::find(base, name); found != base.end()) {
    Unit unit;
    unit.dimension[static_cast<std::size_t>(found - base.begin())] = {1, 1};
    return unit;
  }
  for (const std::span<const Definition> known : {std::span<const Definition>(plain), {prefixed}}) {
    const auto found = std::ranges::find(known, name, &Definition::name);
    if (found != known.end()) return Parser(found->text, found->text).whole();
  }
  for (const Prefix& prefix : prefixes) {
    const bool has_prefix = name.starts_with(prefix.name);
    const std::string_view rest = name.substr(has_prefix ? prefix.name.size() : 0);
    if (!has_prefix || std::ranges::find(prefixed, rest, &Definition::name) == prefixed.end()) continue;
    Unit unit = named(rest).value_or(Unit{});
    unit.ratio = unit.ratio * ExactRatio::power_of_ten(prefix.power);
    return unit;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Exponent> exponent_of(double value) {
  constexpr double rounding = 1e-14;  // a few units in the last place of float64
  if (!(std::abs(value) <= static_cast<double>(largest_exponent))) return std::nullopt;
  for (std::int64_t under = 1; under <= largest_exponent; ++under) {
    const double over = std::round(value * static_cast<double>(under));
    if (std::abs(over - value * static_cast<double>(under)) > rounding * std::abs(over)) continue;
    return Exponent{static_cast<std::int64_t>(over), under};
  }
  return std::nullopt;
}

Unit parse(std::string_view text, MassTimesC meaning) {
  if (text.size() > longest) {
    throw Error(ErrorKind::usage, "a text of " + std::to_string(text.size()) + " characters is not a unit");
  }
  const std::string words = with_phrases_replaced(without_markup(text), meaning);
  if (std::ranges::all_of(words, is_blank)) return {};
  const Unit found = Parser(text, words).whole();
  const double value = found.ratio.value();
  if (value > smallest_value && value < largest_value) return found;
  throw unknown(text, "its value exceeds the range of float64");
}

}  // namespace quire::units
