#include "query/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/characters.hpp"

namespace quire::query {
namespace {

constexpr std::size_t widest_echo = 100;  // characters of an expression that an error shows

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
/// Letters, including those of other scripts: any byte of UTF-8 beyond ASCII.
bool begins_word(char c) { return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The text on one line, without control characters; as many bytes as before.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

}  // namespace

Error error_at(ErrorKind kind, std::string_view expression, std::size_t position, std::size_t length,
               const std::string& message) {
  position = std::min(position, expression.size());
  length = std::min(length, expression.size() - position);
  std::string line = one_line(expression);
  std::string_view shown = line;
  if (shown.size() > widest_echo) {
    std::size_t first = position > widest_echo / 2 ? position - widest_echo / 2 : 0;
    while (first > 0 && continues_character(shown[first])) --first;
    shown = shown.substr(first, widest_echo);
    while (!shown.empty() && continues_character(line[std::min(first + shown.size(), line.size() - 1)])) {
      shown.remove_suffix(1);
    }
    position -= first;
    length = std::min(length, shown.size() - std::min(position, shown.size()));
  }
  const std::string spaces(characters(shown.substr(0, position)), ' ');
  const std::string carets(std::max<std::size_t>(characters(shown.substr(std::min(position, shown.size()), length)), 1),
                           '^');
  return {kind, message + "\n    " + std::string(shown) + "\n    " + spaces + carets};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && begins_word(name.front()) &&
         std::ranges::all_of(name, [](char c) { return begins_word(c) || is_digit(c); });
}

void Lexer::fail(std::size_t position, std::size_t length, const std::string& message) const {
  throw error_at(ErrorKind::usage, text_, position, length, message);
}

Lexeme Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  Lexeme found;
  found.position = at_;
  if (at_ == text_.size()) return found;
  const char c = text_[at_];
  if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
    found = number();
  } else if (begins_word(c)) {
    found = word();
  } else if (c == '"' || c == '\'') {
    found.kind = Token::text;
    found.value = quoted(c, "text");
  } else if (c == '`') {
    found.kind = Token::quoted_name;
    found.value = quoted(c, "name");
  } else if (c == '@') {
    found.kind = Token::attribute;
    found.value = name_after_at();
  } else {
    found = symbol();
  }
  found.length = at_ - found.position;
  return found;
}

std::string Lexer::name_after_at() {
  const std::size_t start = at_++;
  if (at_ < text_.size() && text_[at_] == '`') return quoted('`', "name");
  if (at_ == text_.size() || !begins_word(text_[at_])) fail(start, 1, "@ must be followed by the name of an attribute");
  return word().value;
}

Lexeme Lexer::number() {
  Lexeme found;
  found.kind = Token::number;
  found.position = at_;
  const char* const first = text_.data() + at_;
  const char* const last = text_.data() + text_.size();
  std::uint64_t integer = 0;
  if (text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X") {
    const auto end = std::from_chars(first + 2, last, integer, 16);
    at_ += static_cast<std::size_t>(end.ptr - first);
    if (end.ec != std::errc{}) fail(found.position, at_ - found.position, "this is no hexadecimal number of 64 bits");
  } else {
    Decimal decimal;
    const auto end = std::from_chars(first, last, decimal.real);
    at_ += static_cast<std::size_t>(end.ptr - first);
    if (!std::all_of(first, end.ptr, is_digit)) {
      if (end.ec != std::errc{})
        fail(found.position, at_ - found.position, "the number is beyond the range of float64");
      std::from_chars(first, last, decimal.extended);
      found.number = decimal;
      return check_end(found);
    }
    if (std::from_chars(first, end.ptr, integer).ec != std::errc{}) {
      fail(found.position, at_ - found.position, "the integer needs more than 64 bits; write it with a decimal point");
    }
  }
  if (integer <= static_cast<std::uint64_t>(INT64_MAX)) {
    found.number = static_cast<std::int64_t>(integer);
  } else {
    found.number = integer;
  }
  return check_end(found);
}

Lexeme Lexer::check_end(Lexeme found) {
  if (at_ < text_.size() && (begins_word(text_[at_]) || text_[at_] == '.')) {
    fail(found.position, at_ - found.position + 1,
         "a number ends in a letter; names with odd beginnings go in backticks");
  }
  return found;
}

Lexeme Lexer::word() {
  Lexeme found;
  found.kind = Token::name;
  found.position = at_;
  while (at_ < text_.size() && (begins_word(text_[at_]) || is_digit(text_[at_]))) ++at_;
  found.value = text_.substr(found.position, at_ - found.position);
  if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == ':' || text_[at_] == '$' || text_[at_] == '#')) {
    fail(at_, 1,
         "a name with other characters than letters, digits and _ goes in backticks: `" + found.value +
             std::string(1, text_[at_]) + "...`");
  }
  return found;
}

std::string Lexer::quoted(char quote, const char* what) {
  const std::size_t start = at_++;
  std::string value;
  while (true) {
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      fail(start, 1, std::string("the ") + what + " that begins here has no closing " + quote);
    }
    value += text_.substr(at_, end - at_);
    at_ = end + 1;
    if (at_ == text_.size() || text_[at_] != quote) break;
    value += quote;  // written twice: itself
    ++at_;
  }
  return value;
}

Lexeme Lexer::symbol() {
  constexpr std::array<std::string_view, 21> symbols{"**", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-",
                                                     "*",  "/",  "%",  "^",  "(",  ")",  "[",  "]", ",", "!"};
  Lexeme found;
  found.kind = Token::symbol;
  found.position = at_;
  if (text_.substr(at_, 2) == "<>") fail(at_, 2, "inequality is written !=");
  for (const std::string_view candidate : symbols) {
    if (text_.substr(at_, candidate.size()) == candidate) {
      found.value = candidate;
      at_ += candidate.size();
      return found;
    }
  }
  const char c = text_[at_];
  if (text_.substr(at_, 2) == "=>") fail(at_, 2, "greater or equal is written >=");
  if (text_.substr(at_, 2) == "=<") fail(at_, 2, "less or equal is written <=");
  if (c == '=') fail(at_, 1, "equality is written ==");
  if (c == '&') fail(at_, 1, "`and` is written && or and; bits are joined by bitand(a, b)");
  if (c == '|') fail(at_, 1, "`or` is written || or or; bits are joined by bitor(a, b)");
  fail(at_, 1, "this character has no meaning here; names with odd characters go in backticks");
}

}  // namespace quire::query
