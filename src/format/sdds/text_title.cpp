#include "format/sdds/text_title.hpp"

#include <algorithm>
#include <array>

#include "format/text/token_print.hpp"
#include "kernels/number_print.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t count_width = text_count_bytes - 1;
constexpr std::string_view unfinished = "unfinished";

void append_string(std::string& text, const std::string& value, TextStyle style, const std::string& object) {
  if (text::has_zero_byte(value)) {
    throw Error(ErrorKind::unsupported, "it contains a zero byte, which text cannot store").on(object);
  }
  std::string room(text::most_bytes_of(value), '\0');
  text.append(room.data(), text::print_string(value, style, room.data()));
}

/// Element `i` of a value.
void append_element(std::string& text, const TitleValue& item, std::uint64_t i, TextStyle style) {
  const Type type = item.value.type();
  if (type == Type::string) return append_string(text, item.value.strings()[i], style, item.name);
  const std::byte* value = item.value.bytes().data() + i * size_of(type);
  std::array<char, kernels::widest_number> room;
  const auto digits = style == TextStyle::canonical ? kernels::Digits::printf : kernels::Digits::shortest;
  char* const end = type == Type::character ? text::print_character(static_cast<char>(*value), style, room.data())
                                            : kernels::number_printer(type, digits)(value, room.data());
  text.append(room.data(), static_cast<std::size_t>(end - room.data()));
}

}  // namespace

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string page_comment_state(bool published) { return published ? "! page number" : "! unfinished "; }

std::string page_comment(std::uint64_t number, bool published) {
  return page_comment_state(published) + ' ' + std::to_string(number) + '\n';
}

std::string title_text(const std::vector<TitleValue>& values, TextStyle style) {
  std::string text;
  for (const TitleValue& item : values) {
    if (!item.is_array) {
      append_element(text, item, 0, style);
      text += '\n';
      continue;
    }
    text += dimension_line(item.value.shape(), item.name);
    const std::uint64_t count = item.value.count();
    for (std::uint64_t i = 0; i < count; ++i) {
      append_element(text, item, i, style);
      text += (i + 1) % array_values_per_line == 0 || i + 1 == count ? '\n' : ' ';
    }
  }
  return text;
}

std::string dimension_line(const std::vector<std::uint64_t>& extents, const std::string& name) {
  std::string line;
  for (const std::uint64_t extent : extents) line += std::to_string(extent) + ' ';
  return line + std::string(10, ' ') + "! " + std::to_string(extents.size()) + "-dimensional array " + name + ":\n";
}

std::string unfinished_count_line() {
  return std::string(count_width - unfinished.size(), ' ').append(unfinished) + '\n';
}

std::string count_text(std::uint64_t rows, bool sealed) {
  const std::string digits = std::to_string(rows);
  std::string text = std::string(count_width - std::min(count_width, digits.size()), ' ') + digits;
  if (sealed) text[count_seal(rows)] = unfinished.front();
  return text;
}

std::size_t count_seal(std::uint64_t rows) {
  // The letter keeps its place, unless the digits need it.
  const std::size_t digits = std::to_string(rows).size();
  return std::min(count_width - unfinished.size(), count_width - digits - 1);
}

Publication lowered_count(std::uint64_t offset, const std::string& before, std::uint64_t rows) {
  constexpr std::size_t at_once = 8;
  Publication acts;
  const auto write = [&](std::size_t place, std::string_view text) {
    acts.emplace_back(PublishWrite{offset + place, bytes_of(text)});
  };
  const std::string digits = std::to_string(rows);
  const std::size_t blanks = before.size() - digits.size();
  const std::string after = std::string(blanks, ' ') + digits;
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(before, after).in2 - after.begin());
  if (after.size() - same <= at_once) {
    if (same < after.size()) write(same, std::string_view(after).substr(same));
    return acts;
  }
  // Zeros fill the places before the digits until no digit of the old number precedes them.
  const std::string zeros = std::string(blanks, '0') + digits;
  for (std::size_t end = zeros.size(); end > same;) {
    const std::size_t begin = end - std::min(end - same, at_once);
    write(begin, std::string_view(zeros).substr(begin, end - begin));
    end = begin;
  }
  for (std::size_t begin = same; begin < blanks; begin += at_once) {
    write(begin, std::string_view(after).substr(begin, std::min(blanks - begin, at_once)));
  }
  return acts;
}

}  // namespace quire::sdds
