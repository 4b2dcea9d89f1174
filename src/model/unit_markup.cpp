#include "model/unit_markup.hpp"

#include <algorithm>
#include <array>

#include "base/characters.hpp"
#include "model/unit_table.hpp"

namespace quire::units {
namespace {

bool ends_with_letter(std::string_view text) {
  if (text.empty()) return false;
  std::size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80U) --begin;
  return letter_at(text.substr(begin)) == text.size() - begin;
}

/// Whether a phrase at this place is not a part of a longer word or of an exponent.
bool is_alone(std::string_view text, std::size_t at, std::size_t length) {
  const std::string_view before = text.substr(0, at);
  const std::string_view after = text.substr(at + length);
  if (!before.empty() && (is_digit(before.back()) || before.back() == '^' || ends_with_letter(before))) return false;
  const bool continues = !after.empty() && (is_digit(after.front()) || after.front() == '\'' || after.front() == '^');
  return !continues && letter_at(after) == 0;
}

/// Whether a phrase at this place is a whole unit, or all that brackets contain.
bool is_separate(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t before = text.substr(0, at).find_last_not_of(' ');
  const std::size_t after = text.find_first_not_of(' ', at + length);
  return (before == std::string_view::npos || text[before] == '(') &&
         (after == std::string_view::npos || text[after] == ')');
}

const Letter* greek_letter(char latin) {
  const auto found = std::ranges::find(letters, latin, &Letter::latin);
  return found == letters.end() ? nullptr : &*found;
}

}  // namespace

std::size_t letter_at(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  const unsigned lower = first | 0x20U;
  if ((lower >= 'a' && lower <= 'z') || first == '_') return 1;
  // Two bytes of UTF-8: U+00B5, Latin from U+00C0 on without the signs of products and quotients, and Greek.
  if (first < 0xc2 || first > 0xcf || (byte(1) & 0xc0U) != 0x80U) return 0;
  const unsigned code = (first & 0x1fU) << 6U | (byte(1) & 0x3fU);
  const bool is_latin = code == 0xb5 || (code >= 0xc0 && code < 0x250 && code != 0xd7 && code != 0xf7);
  return is_latin || (code >= 0x370 && code < 0x400) ? 2 : 0;
}

std::string without_markup(std::string_view text) {
  std::string result;
  bool is_greek = false;
  bool is_raised = false;
  const auto ends_in_greek = [&] {
    return std::ranges::any_of(letters, [&](const Letter& letter) { return result.ends_with(letter.greek); });
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at + 1);
    const bool is_digit_code = !rest.empty() && is_digit(rest.front());
    const std::size_t code_length = text[at] == '$' ? std::max<std::size_t>(letter_at(rest), is_digit_code ? 1 : 0) : 0;
    if (code_length == 0) {
      const Letter* letter = is_greek ? greek_letter(text[at]) : nullptr;
      if (letter != nullptr) {
        result += letter->greek;
      } else {
        result += text[at] == '#' ? ' ' : text[at];
      }
      continue;
    }
    const char code = rest.front();
    at += code_length;
    if (code == 'a') {
      result += "^(";
      is_raised = true;
    } else if (code == 'b') {
      result += '_';
    } else if (code == 'n') {
      result += is_raised ? ')' : ' ';
      is_raised = false;
    } else if (code == 'g' || code == 'r') {
      is_greek = code == 'g';
      // Two letters in a row are two names, but a prefix may precede one.
      if (is_greek && ends_in_greek()) result += ' ';
    }
  }
  return result;
}

std::string with_phrases_replaced(std::string text, MassTimesC meaning) {
  for (const Phrase& phrase : phrases) {
    const std::string by = "(" + std::string(meaning == MassTimesC::is_one ? phrase.text : phrase.momentum) + ")";
    for (std::size_t at = text.find(phrase.name); at != std::string::npos; at = text.find(phrase.name, at)) {
      const bool is_free = !phrase.is_separate || is_separate(text, at, phrase.name.size());
      if (is_free && is_alone(text, at, phrase.name.size())) {
        text.replace(at, phrase.name.size(), by);
        at += by.size();
      } else {
        ++at;
      }
    }
  }
  return text;
}

}  // namespace quire::units
