#include "format/nektar/range_list.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "kernels/number_text.hpp"
#include "quire/base/error.hpp"

namespace quire::nektar {
namespace {

constexpr std::string_view white = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

[[noreturn]] void refuse(std::string_view what, std::string_view text) {
  constexpr std::size_t shown = 40;
  throw Error(ErrorKind::bad_file, "\"" + std::string(text.substr(0, shown)) + "\" is not a " + std::string(what));
}

/// A number below 2^32 that is the whole text.
std::uint64_t number_of(std::string_view text) {
  const std::string_view digits = trimmed(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  if (!is_whole || number > std::numeric_limits<std::uint32_t>::max()) refuse("number below 2^32", text);
  return number;
}

/// Calls `take` with each text between commas.
template <class Take>
void for_each_item(std::string_view text, Take&& take) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    take(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

RangeList RangeList::parse(std::string_view text) {
  RangeList list;
  for_each_item(text, [&](std::string_view item) {
    const std::size_t dash = item.find('-');
    const std::uint64_t first = number_of(item.substr(0, dash));
    const std::uint64_t last = dash == std::string_view::npos ? first : number_of(item.substr(dash + 1));
    if (last < first) refuse("rising range of numbers", item);
    list.add({first, last - first + 1});
  });
  return list;
}

void RangeList::add(const Slice& run) {
  if (!runs_.empty() && runs_.back().end() == run.first) {
    runs_.back().count += run.count;
  } else {
    starts_.push_back(count());
    runs_.push_back(run);
  }
}

void RangeList::append(const RangeList& other) {
  for (const Slice& run : other.runs_) add(run);
}

RangeList RangeList::without_repeats() const {
  RangeList list;
  for (Slice run : runs_) {
    const bool repeats = !list.runs_.empty() && list.runs_.back().end() == run.first + 1;
    if (repeats) run = {run.first + 1, run.count - 1};
    if (run.count > 0) list.add(run);
  }
  return list;
}

void RangeList::expand(const Slice& rows, std::span<std::uint32_t> out) const {
  if (rows.count == 0) return;
  auto run = static_cast<std::size_t>(std::ranges::upper_bound(starts_, rows.first) - starts_.begin()) - 1;
  std::uint64_t within = rows.first - starts_[run];
  for (std::uint64_t i = 0; i < rows.count; ++i) {
    out[i] = static_cast<std::uint32_t>(runs_[run].first + within);
    if (++within == runs_[run].count) {
      ++run;
      within = 0;
    }
  }
}

std::vector<std::uint64_t> RangeList::numbers(std::uint64_t most) const {
  if (count() > most) throw Error(ErrorKind::memory, "a list names more numbers than the memory budget allows");
  std::vector<std::uint64_t> all;
  for (const Slice& run : runs_) {
    for (std::uint64_t i = 0; i < run.count; ++i) all.push_back(run.first + i);
  }
  return all;
}

std::string range_text(std::span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == std::uint64_t{numbers[end - 1]} + 1) ++end;
    if (i > 0) text += ',';
    text += std::to_string(numbers[i]);
    if (end - i > 1) text += '-' + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::vector<std::uint64_t> parse_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  for_each_item(text, [&](std::string_view item) { numbers.push_back(number_of(item)); });
  return numbers;
}

std::vector<double> parse_reals(std::string_view text) {
  std::vector<double> numbers;
  for_each_item(text, [&](std::string_view item) {
    const std::string_view digits = trimmed(item);
    const char* last = digits.data() + digits.size();
    double number = 0;
    if (digits.empty() || kernels::parse_number(digits.data(), last, number).end != last) refuse("number", item);
    numbers.push_back(number);
  });
  return numbers;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  for_each_item(text, [&](std::string_view item) { items.emplace_back(trimmed(item)); });
  return items;
}

std::string join_list(std::span<const std::string> texts) {
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i) list += (i == 0 ? "" : ",") + texts[i];
  return list;
}

std::string join_list(std::span<const std::uint64_t> numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size(); ++i) list += (i == 0 ? "" : ",") + std::to_string(numbers[i]);
  return list;
}

}  // namespace quire::nektar
