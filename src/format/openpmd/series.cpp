#include "format/openpmd/series.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "format/hdf5/image/read_ahead.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::hdf5 {
namespace {

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

void move_to(std::uint64_t member, StepLayout& step) {
  for (auto* places : {&step.tables, &step.fields}) {
    for (Place& place : *places) {
      for (Run& run : place.runs) {
        run.offset = address_in(member, run.offset);
        if (!run.chunks) continue;
        for (Chunk& chunk : run.chunks->chunks) {
          if (chunk.bytes > 0) chunk.offset = address_in(member, chunk.offset);
        }
      }
    }
  }
  step.end = address_in(member, step.end);
}

}  // namespace

std::optional<NamePattern> NamePattern::of(std::string_view text) {
  const std::size_t mark = text.find('%');
  const std::size_t end = text.find('T', mark == std::string_view::npos ? 0 : mark);
  if (mark == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  NamePattern pattern;
  const std::string_view digits = text.substr(mark + 1, end - mark - 1);
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), pattern.width_);
  const bool is_width = digits.empty() || (result.ec == std::errc{} && result.ptr == digits.data() + digits.size());
  if (!is_width) return std::nullopt;
  pattern.before_ = text.substr(0, mark);
  pattern.after_ = text.substr(end + 1);
  return pattern;
}

std::string NamePattern::name_of(std::int64_t number) const {
  const std::string digits = std::to_string(number);
  return before_ + std::string(digits.size() < width_ ? width_ - digits.size() : 0, '0') + digits + after_;
}

std::optional<std::int64_t> NamePattern::number_in(std::string_view name) const {
  if (name.size() <= before_.size() + after_.size()) return std::nullopt;
  if (!name.starts_with(before_) || !name.ends_with(after_)) return std::nullopt;
  const std::string_view digits = name.substr(before_.size(), name.size() - before_.size() - after_.size());
  const bool are_digits = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!are_digits || digits.size() < width_ || (width_ > 0 && digits.size() > width_ && digits.front() == '0')) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return result.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::string NamePattern::first_of(std::span<const std::string> names) const {
  std::optional<std::pair<std::int64_t, std::string>> first;
  for (const std::string& name : names) {
    const auto number = number_in(name);
    if (number && (!first || std::pair(*number, name) < *first)) first.emplace(*number, name);
  }
  return first ? first->second : std::string();
}

NamePattern NamePattern::ending_in(std::string_view ending) const {
  NamePattern pattern = *this;
  if (!pattern.after_.ends_with(ending)) pattern.after_ += ending;
  return pattern;
}

std::unique_ptr<Describer> SeriesDescriber::around(std::unique_ptr<OpenpmdDescriber> first,
                                                   const DescribeContext& context, const CheckedOptions& options) {
  const SeriesPaths& paths = first->paths();
  const std::string own = name_of(context.path);
  const std::size_t dot = own.rfind('.');
  const auto stated = NamePattern::of(name_of(paths.format));
  const bool is_alone = paths.encoding != "fileBased" || !stated || dot == std::string::npos || !context.beside ||
                        !context.neighbour || !first->file().members.empty();
  if (is_alone) return first;
  const NamePattern pattern = stated->ending_in(own.substr(dot));
  if (!pattern.number_in(own)) return first;  // the file was renamed
  std::map<std::int64_t, std::string> names;
  for (const std::string& name : context.beside()) {
    if (const auto number = pattern.number_in(name)) names.emplace(*number, name);
  }
  names[*pattern.number_in(own)] = own;
  if (names.size() < 2) return first;
  return std::make_unique<SeriesDescriber>(std::move(first), context, options, names, own);
}

SeriesDescriber::SeriesDescriber(std::unique_ptr<OpenpmdDescriber> first, DescribeContext context,
                                 CheckedOptions options, const std::map<std::int64_t, std::string>& names,
                                 const std::string& own_name)
    : first_(std::move(first)),
      context_(std::move(context)),
      options_(std::move(options)),
      description_(first_->file()) {
  description_.members.push_back(own_name);
  for (const auto& [number, name] : names) {
    entries_.push_back({number, name == own_name ? 0 : description_.members.size()});
    if (name != own_name) description_.members.push_back(name);
  }
}

const SeriesDescriber::Entry& SeriesDescriber::entry(std::uint64_t index) const {
  if (index < entries_.size()) return entries_[static_cast<std::size_t>(index)];
  throw Error(ErrorKind::missing, "there is no step at this index").in_file(context_.path);
}

OpenpmdDescriber& SeriesDescriber::member(std::uint64_t number) {
  if (number == 0) return *first_;
  if (open_ && open_member_ == number) return *open_;
  open_.reset();
  const std::string& name = description_.members[static_cast<std::size_t>(number)];
  auto bytes = context_.neighbour(name);
  if (!bytes) throw Error(ErrorKind::missing, "a file of the series is missing").in_file(name);
  const DescribeContext own{.path = name, .memory_budget = context_.memory_budget, .neighbour = {}};
  open_ = std::make_unique<OpenpmdDescriber>(std::make_shared<ReadAhead>(std::move(bytes)), own, options_);
  open_member_ = number;
  return *open_;
}

std::uint64_t SeriesDescriber::index_in(OpenpmdDescriber& file, const Entry& entry) const {
  for (std::uint64_t i = 0; i < file.steps(); ++i) {
    if (file.step_number(i) == entry.number) return i;
  }
  throw Error(ErrorKind::bad_file, "the file does not hold the iteration in its name")
      .on(std::to_string(entry.number))
      .in_file(description_.members[static_cast<std::size_t>(entry.member)])
      .advise("open it alone with the reader's option series=false");
}

std::optional<StepLayout> SeriesDescriber::step(std::uint64_t index) {
  if (index >= entries_.size()) return std::nullopt;
  const Entry& wanted = entry(index);
  OpenpmdDescriber& file = member(wanted.member);
  std::optional<StepLayout> step = file.step(index_in(file, wanted));
  if (step && wanted.member > 0) move_to(wanted.member, *step);
  return step;
}

void SeriesDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component,
                                  const Slice& rows, const View& out) {
  const Entry& wanted = entry(index);
  OpenpmdDescriber& file = member(wanted.member);
  file.read_opaque(index_in(file, wanted), object, component, rows, out);
}

}  // namespace quire::hdf5
