#include "format/nektar/xml/payload_text.hpp"

#include <algorithm>
#include <charconv>
#include <span>

#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::size_t characters_at_once = std::size_t{64} << 10;
constexpr std::string_view section_begin = "<![CDATA[";
constexpr std::string_view section_end = "]]>";
constexpr std::size_t longest_reference = 12;
constexpr std::size_t longest_name = 64;

}  // namespace

void PayloadText::refuse(const std::string& what) const {
  throw Error(ErrorKind::bad_file, "the values of a block " + what).at(place());
}

std::string_view PayloadText::look(std::size_t least) {
  const std::uint64_t end = text_.offset + text_.length;
  if (loaded_.size() - used_ < least && next_ < end) {
    loaded_.erase(loaded_.begin(), loaded_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
    const std::size_t before = loaded_.size();
    loaded_.resize(before + static_cast<std::size_t>(std::min<std::uint64_t>(characters_at_once, end - next_)));
    const std::size_t found = bytes_.read(next_, std::as_writable_bytes(std::span(loaded_).subspan(before)));
    next_ += found;
    if (before + found < loaded_.size()) {
      // The characters that were read may include the end tag.
      loaded_.resize(before + found);
      text_.length = next_ - text_.offset;
      const std::string_view all(loaded_.data(), loaded_.size());
      if (all.find('<') == std::string_view::npos) refuse("end with the file");
    }
  }
  return std::string_view(loaded_.data(), loaded_.size()).substr(used_);
}

std::string_view PayloadText::take(std::size_t count) {
  piece_at_ = place();
  const std::string_view taken = std::string_view(loaded_.data(), loaded_.size()).substr(used_, count);
  used_ += count;
  return taken;
}

void PayloadText::skip_past(std::string_view mark) {
  for (;;) {
    const std::string_view rest = look(mark.size());
    const std::size_t found = rest.find(mark);
    if (found != std::string_view::npos) {
      used_ += found + mark.size();
      return;
    }
    if (rest.size() < mark.size()) refuse("end inside a comment or the like");
    used_ += rest.size() - (mark.size() - 1);
  }
}

bool PayloadText::pass_mark() {
  const std::string_view rest = look(longest_name);
  if (rest.starts_with("</") || rest.size() < 2) return false;
  if (rest.starts_with("<!--")) {
    used_ += 4;
    skip_past("-->");
  } else if (rest.starts_with(section_begin)) {
    used_ += section_begin.size();
    is_section_ = true;
  } else if (rest.starts_with("<?")) {
    skip_past("?>");
  } else {
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n/>"), std::min(rest.size(), longest_name));
    refuse("contain the element " + std::string(rest.substr(1, end - 1)));
  }
  return true;
}

std::string_view PayloadText::take_reference() {
  const std::string_view rest = look(longest_reference);
  const std::size_t end = rest.substr(0, longest_reference).find(';');
  const bool is_hexadecimal = rest.starts_with("&#x");
  const std::size_t begin = is_hexadecimal ? 3 : 2;
  unsigned number = 0;
  if (rest.starts_with("&#") && end != std::string_view::npos && end > begin) {
    const auto result = std::from_chars(rest.data() + begin, rest.data() + end, number, is_hexadecimal ? 16 : 10);
    if (result.ec != std::errc{} || result.ptr != rest.data() + end) number = 0;
  }
  constexpr unsigned most = 127;
  if (number == 0 || number > most) refuse("contain a reference to a character that is not base64");
  referred_ = static_cast<char>(number);
  static_cast<void>(take(end + 1));
  return {&referred_, 1};
}

std::string_view PayloadText::next() {
  for (;;) {
    const std::string_view rest = look(1);
    if (rest.empty() && is_section_) refuse("end inside a CDATA section");
    if (rest.empty()) return rest;
    if (is_section_) {
      if (const std::size_t end = std::min(rest.find(section_end.front()), rest.size()); end > 0) return take(end);
      if (!look(section_end.size()).starts_with(section_end)) return take(1);
      used_ += section_end.size();
      is_section_ = false;
      continue;
    }
    const std::size_t mark = std::min(rest.find('<'), rest.size());
    if (const std::size_t end = std::min(rest.substr(0, mark).find('&'), mark); end > 0) return take(end);
    if (rest.front() == '&') return take_reference();
    if (!pass_mark()) return {};
  }
}

}  // namespace quire::nektar
