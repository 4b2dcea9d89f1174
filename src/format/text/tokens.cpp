#include "format/text/tokens.hpp"

#include <algorithm>
#include <cstring>

#include "base/characters.hpp"

namespace quire::text {
namespace {

[[nodiscard]] std::optional<char> simple_escape(char c) noexcept {
  constexpr std::string_view letters = "ntbrfva\\'\"?!";
  constexpr std::string_view meanings = "\n\t\b\r\f\v\a\\'\"?!";
  const std::size_t found = letters.find(c);
  if (found == std::string_view::npos) return std::nullopt;
  return meanings[found];
}

}  // namespace

bool is_blank(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return is_white(c); });
}

std::string_view without_leading_space(std::string_view text) noexcept {
  std::size_t first = 0;
  while (first < text.size() && is_white(text[first])) ++first;
  return text.substr(first);
}

std::string_view trimmed(std::string_view text) noexcept {
  text = without_leading_space(text);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<Line> first_line(std::string_view bytes, bool complete) noexcept {
  const auto* end = static_cast<const char*>(std::memchr(bytes.data(), '\n', bytes.size()));
  if (end == nullptr && !complete) return std::nullopt;
  Line line{bytes, bytes.size()};
  if (end != nullptr) {
    line.text = bytes.substr(0, static_cast<std::size_t>(end - bytes.data()));
    line.bytes = line.text.size() + 1;
  }
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  return line;
}

std::string_view without_comment(std::string_view line) noexcept {
  if (line.find('!') == std::string_view::npos) return line;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == '!' && !quoted) {
      return line.substr(0, i);
    }
  }
  return line;
}

std::optional<std::string_view> next_token(std::string_view& line) noexcept {
  line = without_leading_space(line);
  if (line.empty()) return std::nullopt;
  const bool enclosed = line.front() == '"';
  if (enclosed) line.remove_prefix(1);
  bool quoted = enclosed;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    if (line[end] == '\\') {
      // A backslash and the next character are one unit, but white space always ends a token that is not quoted.
      if (quoted || end + 1 == line.size() || !is_white(line[end + 1])) ++end;
    } else if (line[end] == '"') {
      if (enclosed) break;
      quoted = !quoted;
    } else if (!quoted && is_white(line[end])) {
      break;
    }
  }
  end = std::min(end, line.size());
  const std::string_view token = line.substr(0, end);
  line.remove_prefix(std::min(line.size(), enclosed ? end + 1 : end));
  return token;
}

std::string_view next_field(std::string_view& line, std::int64_t width) noexcept {
  const auto bytes = width < 0 ? 0 - static_cast<std::uint64_t>(width) : static_cast<std::uint64_t>(width);
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, line.size()));
  const std::string_view field = line.substr(0, size);
  line.remove_prefix(size);
  return width < 0 ? trimmed(field) : field;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      if (const auto simple = simple_escape(text[i + 1])) {
        c = *simple;
        ++i;
      } else if (is_digit(text[i + 1])) {
        unsigned code = 0;
        for (int digits = 0; digits < 3 && i + 1 < text.size() && is_digit(text[i + 1]); ++digits) {
          code = code * 8 + static_cast<unsigned>(text[++i] - '0');
        }
        c = static_cast<char>(code % 256);
      }
    }
    if (c == '\0') return result;
    result += c;
  }
  return result;
}

}  // namespace quire::text
