#include "format/nektar/xml_scanner.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "format/nektar/xml_rules.hpp"
#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::size_t piece = std::size_t{256} << 10;
constexpr std::size_t longest_name = 256;

}  // namespace

void Window::load(std::uint64_t position) {
  loaded_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece, size_ - position)));
  const std::size_t found = bytes_.read(base_ + position, std::as_writable_bytes(std::span(loaded_)));
  if (found < loaded_.size()) throw Error(ErrorKind::bad_file, "the file ends early").at(position + found);
  first_ = position;
}

char Window::at(std::uint64_t position) {
  if (position < first_ || position - first_ >= loaded_.size()) load(position);
  return loaded_[static_cast<std::size_t>(position - first_)];
}

std::uint64_t Window::find(std::uint64_t position, char c) {
  while (position < size_) {
    static_cast<void>(at(position));
    const std::size_t from = static_cast<std::size_t>(position - first_);
    const void* found = std::memchr(loaded_.data() + from, c, loaded_.size() - from);
    if (found != nullptr) return first_ + static_cast<std::uint64_t>(static_cast<const char*>(found) - loaded_.data());
    position = first_ + loaded_.size();
  }
  return size_;
}

std::uint64_t Window::find(std::uint64_t position, std::string_view text) {
  for (;; ++position) {
    position = find(position, text.front());
    if (position == size_ || has(position, text)) return position;
  }
}

bool Window::has(std::uint64_t position, std::string_view text) {
  if (size_ < text.size() || position > size_ - text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at(position + i) != text[i]) return false;
  }
  return true;
}

std::string Window::text(const Extent& part) {
  std::string text;
  text.reserve(static_cast<std::size_t>(part.length));
  for (std::uint64_t done = 0; done < part.length;) {
    static_cast<void>(at(part.offset + done));
    const std::size_t from = static_cast<std::size_t>(part.offset + done - first_);
    const std::size_t take =
        static_cast<std::size_t>(std::min<std::uint64_t>(loaded_.size() - from, part.length - done));
    text.append(loaded_.data() + from, take);
    done += take;
  }
  return text;
}

void XmlScanner::refuse(const std::string& what, std::uint64_t position) const {
  throw Error(ErrorKind::bad_file, what).at(position);
}

std::optional<std::uint64_t> XmlScanner::end_of_aside(std::uint64_t position) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> asides{
      {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}}};
  for (const auto& [begin, end] : asides) {
    if (!window_.has(position, begin)) continue;
    const std::uint64_t found = window_.find(position + begin.size(), end);
    if (found == window_.size()) refuse("the file ends inside a comment or the like", position);
    return found + end.size();
  }
  return std::nullopt;
}

std::uint64_t XmlScanner::next_tag(std::uint64_t position, bool may_have_text) {
  for (;;) {
    if (may_have_text) {
      position = window_.find(position, '<');
    } else {
      while (position < window_.size() && is_xml_space(window_.at(position))) ++position;
    }
    if (position == window_.size()) return position;
    if (window_.at(position) != '<') refuse("there is text where an element should begin", position);
    const auto after = end_of_aside(position);
    if (!after) return position;
    position = *after;
  }
}

std::uint64_t XmlScanner::end_of_tag(std::uint64_t position) {
  char quote = 0;
  for (std::uint64_t i = position; i < window_.size(); ++i) {
    const char c = window_.at(i);
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  refuse("the file ends inside a tag", position);
}

std::string XmlScanner::name_at(std::uint64_t position) {
  std::string name;
  for (; position < window_.size() && name.size() < longest_name; ++position) {
    const char c = window_.at(position);
    if (is_xml_space(c) || c == '>' || c == '/') break;
    name += c;
  }
  return name;
}

XmlElement XmlScanner::element_at(std::uint64_t position) {
  XmlElement element;
  element.name = name_at(position + 1);
  if (element.name.empty()) refuse("a tag has no name", position);
  std::uint64_t end = end_of_tag(position);
  element.tag = {position, end - position};
  element.content = {end, 0};
  const bool is_empty = window_.at(end - 2) == '/';
  for (std::size_t depth = is_empty ? 0 : 1; depth > 0;) {
    const std::uint64_t next = next_tag(end, true);
    if (next == window_.size()) refuse("the file ends inside the element " + element.name, position);
    end = end_of_tag(next);
    if (window_.has(next, "</")) {
      if (--depth > 0) continue;
      if (name_at(next + 2) != element.name) refuse("the element " + element.name + " is not closed", next);
      element.content.length = next - element.content.offset;
    } else if (window_.at(end - 2) != '/' && ++depth > deepest_elements) {
      refuse("elements are nested too deep", next);
    }
  }
  element.whole = {position, end - position};
  return element;
}

bool XmlScanner::advance() {
  for (;;) {
    if (!inside_ && position_ == 0 && window_.has(0, "\xEF\xBB\xBF")) position_ = 3;
    position_ = next_tag(position_, false);
    if (position_ == window_.size()) {
      if (inside_) refuse("the file ends before its root element does", position_);
      if (!seen_root_) refuse("there is no element NEKTAR", 0);
      return false;
    }
    if (!inside_) {
      if (name_at(position_ + 1) != "NEKTAR") refuse("the root element is not NEKTAR", position_);
      position_ = end_of_tag(position_);
      inside_ = window_.at(position_ - 2) != '/';
      seen_root_ = true;
    } else if (window_.has(position_, "</")) {
      if (name_at(position_ + 2) != "NEKTAR") refuse("an end tag does not match its start tag", position_);
      inside_ = false;
      position_ = end_of_tag(position_);
    } else {
      return true;
    }
  }
}

std::optional<XmlElement> XmlScanner::next() {
  if (!advance()) return std::nullopt;
  XmlElement element = element_at(position_);
  position_ = element.whole.offset + element.whole.length;
  return element;
}

std::string XmlScanner::peek() { return advance() ? name_at(position_ + 1) : ""; }

}  // namespace quire::nektar
