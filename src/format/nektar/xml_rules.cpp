#include "format/nektar/xml_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "format/text/digits.hpp"
#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::uint32_t last_character = 0x10FFFF;

struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

bool is_in(std::uint32_t code, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// The productions Char, NameStartChar (without the colon) and NameChar of XML 1.0.
constexpr std::array characters{Range{0x9, 0xA}, Range{0xD, 0xD}, Range{0x20, 0xD7FF}, Range{0xE000, 0xFFFD},
                                Range{0x10000, last_character}};
constexpr std::array name_starts{Range{'A', 'Z'},       Range{'_', '_'},       Range{'a', 'z'},
                                 Range{0xC0, 0xD6},     Range{0xD8, 0xF6},     Range{0xF8, 0x2FF},
                                 Range{0x370, 0x37D},   Range{0x37F, 0x1FFF},  Range{0x200C, 0x200D},
                                 Range{0x2070, 0x218F}, Range{0x2C00, 0x2FEF}, Range{0x3001, 0xD7FF},
                                 Range{0xF900, 0xFDCF}, Range{0xFDF0, 0xFFFD}, Range{0x10000, 0xEFFFF}};
constexpr std::array name_others{Range{'-', '.'}, Range{'0', '9'}, Range{0xB7, 0xB7}, Range{0x300, 0x36F},
                                 Range{0x203F, 0x2040}};

bool starts_name(std::uint32_t code) { return is_in(code, name_starts); }
bool goes_on_name(std::uint32_t code) { return starts_name(code) || is_in(code, name_others); }

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: the bytes are not UTF-8
};

/// The first character of a text that is not empty.
Character first_of(std::string_view text) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const auto head = static_cast<unsigned char>(text.front());
  if (head < 0x80) return {head, 1};
  const std::size_t bytes = head >= 0xF8 ? 0 : head >= 0xF0 ? 4 : head >= 0xE0 ? 3 : head >= 0xC0 ? 2 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = head & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte & 0x3FU);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[bytes] || code > last_character || is_surrogate) return {};
  return {code, bytes};
}

std::string place_text(std::size_t byte) { return " (at byte " + std::to_string(byte) + ")"; }

/// The length in bytes of the name at the beginning of a text; `prefixed` allows colons.
std::size_t name_bytes(std::string_view text, bool prefixed) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character one = first_of(text.substr(end));
    const bool is_part = (prefixed && one.code == ':') || (end == 0 ? starts_name(one.code) : goes_on_name(one.code));
    if (one.bytes == 0 || !is_part) break;
    end += one.bytes;
  }
  return end;
}

/// Checks an XML fragment, whose characters are known to be valid. Its errors are for what_breaks_fragment().
class FragmentCheck {
 public:
  FragmentCheck(std::string_view text, std::size_t deepest) : text_(text), deepest_(deepest) {}

  void run() {
    while (position_ < text_.size()) {
      if (text_[position_] != '<') {
        take_text();
      } else if (take("<!--")) {
        const std::size_t end = end_after("--", "a comment has no end");
        if (end >= text_.size() || text_[end] != '>') refuse("there are two hyphens in a comment");
        position_ = end + 1;
      } else if (take("<![CDATA[")) {
        position_ = end_after("]]>", "a CDATA section has no end");
      } else if (take("<?")) {
        take_instruction();
      } else if (take("</")) {
        close();
      } else {
        ++position_;
        open();
      }
    }
    if (!open_.empty()) refuse("the element " + std::string(open_.back()) + " is not closed");
    if (!has_element_) refuse("it contains no element");
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::usage, what + place_text(position_));
  }
  bool take(std::string_view word) {
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  bool skip_white() {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_xml_space(text_[position_])) ++position_;
    return position_ > begin;
  }
  [[nodiscard]] std::size_t end_after(std::string_view end, const char* otherwise) const {
    const std::size_t found = text_.find(end, position_);
    if (found == std::string_view::npos) refuse(otherwise);
    return found + end.size();
  }
  std::string_view take_name() {
    const std::string_view name = text_.substr(position_, name_bytes(text_.substr(position_), true));
    if (name.empty()) refuse("a name is missing");
    position_ += name.size();
    return name;
  }

  void take_text() {
    while (position_ < text_.size() && text_[position_] != '<') {
      if (text_.substr(position_).starts_with("]]>")) refuse("there is \"]]>\" between tags");
      take_character();
    }
  }
  /// Skips a byte or a whole reference.
  void take_character() {
    if (text_[position_] != '&') {
      ++position_;
      return;
    }
    const std::size_t end = text_.find(';', position_);
    const std::string_view name = end == std::string_view::npos ? "" : text_.substr(position_ + 1, end - position_ - 1);
    if (!is_reference(name)) refuse("there is an \"&\" without a reference");
    position_ = end + 1;
  }
  static bool is_reference(std::string_view name) {
    constexpr std::array<std::string_view, 5> known{"amp", "lt", "gt", "quot", "apos"};
    if (!name.starts_with('#')) return std::ranges::find(known, name) != known.end();
    const bool is_hexadecimal = name.starts_with("#x");
    const std::string_view digits = name.substr(is_hexadecimal ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, is_hexadecimal ? 16 : 10);
    return error == std::errc() && end == digits.data() + digits.size() && is_in(code, characters);
  }
  void take_instruction() {
    const std::string_view target = take_name();
    const auto is_letter = [](char c, char letter) { return c == letter || c == letter - 'a' + 'A'; };
    if (target.size() == 3 && is_letter(target[0], 'x') && is_letter(target[1], 'm') && is_letter(target[2], 'l')) {
      refuse("there is an XML declaration");
    }
    if (!text_.substr(position_).starts_with("?>") && !skip_white()) refuse("a name is missing");
    position_ = end_after("?>", "an instruction has no end");
  }
  void open() {
    const std::string_view name = take_name();
    std::unordered_set<std::string_view> attributes;
    for (;;) {
      const bool is_apart = skip_white();
      const bool is_empty = take("/>");
      if (is_empty || take(">")) {
        has_element_ = true;
        if (open_.size() >= deepest_) refuse("elements are nested too deep");
        if (!is_empty) open_.push_back(name);
        return;
      }
      if (!is_apart) refuse("a tag is not well formed");
      const std::string_view attribute = take_name();
      if (!attributes.insert(attribute).second) {
        refuse("an element has the attribute " + std::string(attribute) + " twice");
      }
      take_value();
    }
  }
  void take_value() {
    skip_white();
    if (!take("=")) refuse("an attribute of an element has no value");
    skip_white();
    const char quote = position_ < text_.size() ? text_[position_] : '\0';
    if (quote != '"' && quote != '\'') refuse("the value of an attribute has no quotes");
    for (++position_; position_ < text_.size() && text_[position_] != quote;) {
      if (text_[position_] == '<') refuse("there is a \"<\" in the value of an attribute");
      take_character();
    }
    if (position_ == text_.size()) refuse("the value of an attribute has no end");
    ++position_;
  }
  void close() {
    const std::string_view name = take_name();
    skip_white();
    if (!take(">")) refuse("a tag is not well formed");
    if (open_.empty() || open_.back() != name) refuse("</" + std::string(name) + "> does not close an open element");
    open_.pop_back();
  }

  std::string_view text_;
  std::size_t deepest_;
  std::size_t position_ = 0;
  std::vector<std::string_view> open_;
  bool has_element_ = false;
};

}  // namespace

std::optional<std::string> what_xml_cannot_hold(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Character one = first_of(text.substr(i));
    if (one.bytes == 0) return "bytes that are not UTF-8" + place_text(i);
    if (!is_in(one.code, characters)) return "the character U+" + text::zero_padded(one.code, 4, 16) + place_text(i);
    i += one.bytes;
  }
  return std::nullopt;
}

bool is_element_name(std::string_view name) { return !name.empty() && name_bytes(name, false) == name.size(); }

std::optional<std::string> what_breaks_fragment(std::string_view text, std::size_t deepest) {
  try {
    FragmentCheck(text, deepest).run();
  } catch (const Error& error) {
    return error.message();
  }
  return std::nullopt;
}

}  // namespace quire::nektar
