#include "query/wildcard.hpp"

#include <cstddef>

namespace quire::query {
namespace {

/// One element of a pattern that matches one byte: where the next begins, and whether the byte matches.
struct Element {
  std::size_t next;
  bool fits;
};

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

/// The set that begins after a [; `next` is 0 if it is not closed.
Element set(std::string_view pattern, std::size_t at, char c) {
  bool is_negated = false;
  if (at < pattern.size() && (pattern[at] == '^' || pattern[at] == '!')) {
    is_negated = true;
    ++at;
  }
  bool found = false;
  for (std::size_t first = at; at < pattern.size(); ++at) {
    if (pattern[at] == ']' && at != first) return {at + 1, found != is_negated};
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']') {
      found |= byte(pattern[at]) <= byte(c) && byte(c) <= byte(pattern[at + 2]);
      at += 2;
    } else {
      found |= pattern[at] == c;
    }
  }
  return {0, false};
}

Element element(std::string_view pattern, std::size_t at, char c) {
  switch (pattern[at]) {
    case '?':
      return {at + 1, true};
    case '[':
      if (const Element found = set(pattern, at + 1, c); found.next != 0) return found;
      break;
    case '\\':
      if (at + 1 < pattern.size()) return {at + 2, pattern[at + 1] == c};
      break;
    default:
      break;
  }
  return {at + 1, pattern[at] == c};
}

}  // namespace

bool matches_wildcard(std::string_view text, std::string_view pattern) noexcept {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t in_text = 0;
  std::size_t in_pattern = 0;
  // The position to continue from if the last star matched too little: extending the last star is sufficient.
  std::size_t star = none;
  std::size_t star_text = 0;
  while (in_text < text.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = ++in_pattern;
      star_text = in_text;
      continue;
    }
    if (in_pattern < pattern.size()) {
      const Element one = element(pattern, in_pattern, text[in_text]);
      if (one.fits) {
        in_pattern = one.next;
        ++in_text;
        continue;
      }
    }
    if (star == none) return false;
    in_pattern = star;
    in_text = ++star_text;
  }
  while (in_pattern < pattern.size() && pattern[in_pattern] == '*') ++in_pattern;
  return in_pattern == pattern.size();
}

}  // namespace quire::query
