#include "format/sdds/describer.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "format/sdds/binary_page.hpp"
#include "format/sdds/header_lexer.hpp"
#include "format/sdds/names.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/text_title.hpp"
#include "format/sdds/text_values.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t first_read = 64 << 10;

/// All bytes of an included file.
[[nodiscard]] std::string read_included(const NeedFile& file, const DescribeContext& context, std::uint64_t most) {
  const auto bytes = context.neighbour ? context.neighbour(file.name) : nullptr;
  if (bytes == nullptr)
    throw error_at(file.offset, file.line, "the included file \"" + file.name + "\" does not exist");
  const std::uint64_t size = bytes->size();
  if (size > most) throw error_at(file.offset, file.line, "the included file \"" + file.name + "\" is too long");
  std::string text(static_cast<std::size_t>(size), '\0');
  text.resize(bytes->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

[[nodiscard]] std::string_view declared_order_name(const Header& header) {
  if (!header.declared_order) return "undeclared";
  return *header.declared_order == ByteOrder::little ? "little" : "big";
}

/// The header with the reader option no_row_counts applied.
[[nodiscard]] Header without_row_counts(Header header, const HeaderOptions& options) {
  // Without columns there are no rows to count: the option has no effect then, as for the writer.
  const bool counts_rows = header.data.mode == Mode::ascii && !header.data.no_row_counts && !header.columns.empty();
  if (!options.no_row_counts || !counts_rows) return header;
  header.data.no_row_counts = true;
  header.warnings.emplace_back(
      "read as with no_row_counts=1 in the header, because of the reader option no_row_counts");
  return header;
}

/// The first parameter whose fixed value does not match its type.
[[nodiscard]] const ParameterDefinition* bad_fixed_value(const Header& header) {
  for (const ParameterDefinition& parameter : header.parameters) {
    if (parameter.fixed_value && !parameter_from(parameter.type, *parameter.fixed_value)) return &parameter;
  }
  return nullptr;
}

}  // namespace

Header read_header(ByteSource& bytes, const DescribeContext& context, const HeaderOptions& options) {
  const std::uint64_t size = bytes.size();
  std::string known;
  IncludedFiles included;
  std::uint64_t included_bytes = 0;
  std::size_t wanted = first_read;
  while (true) {
    const std::size_t before = known.size();
    known.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, size)));
    const auto fresh = std::as_writable_bytes(std::span(known)).subspan(before);
    if (bytes.read(before, fresh) < fresh.size()) {
      throw Error(ErrorKind::io, "the file has become shorter while it was read").in_file(context.path);
    }
    try {
      HeaderAnswer answer = parse_header(known, known.size() == size, included, options);
      if (auto* header = std::get_if<Header>(&answer)) return std::move(*header);
      if (const auto* file = std::get_if<NeedFile>(&answer)) {
        included[file->name] = read_included(*file, context, options.largest_header - included_bytes);
        included_bytes += included[file->name].size();
      } else {
        wanted = known.size() * 2;
      }
    } catch (Error& error) {
      throw error.in_file(context.path);
    }
  }
}

FileDescription file_description(const Header& header) {
  FileDescription file;
  file.format = "sdds";
  file.title = header.text.value_or(std::string());
  file.contents = header.contents.value_or(std::string());
  const DataCommand& data = header.data;
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  file.layout = {{"version", std::to_string(header.version)},
                 {"mode", data.mode == Mode::ascii ? "ascii" : "binary"},
                 {"byte order", std::string(declared_order_name(header))},
                 {"major order", data.column_major ? "column" : "row"},
                 {"lines_per_row", number(data.lines_per_row)},
                 {"no_row_counts", number(data.no_row_counts ? 1 : 0)},
                 {"additional_header_lines", number(data.additional_header_lines)},
                 {"fixed_row_count", number(data.fixed_row_count ? 1 : 0)},
                 {"step_parameter", number(has_step_parameter(header) ? 1 : 0)}};
  const ParameterDefinition* numbers = find_step_parameter(header);
  if (numbers != nullptr && numbers->type == Type::int64) {
    file.layout.emplace_back("step_type", std::string(file_name(numbers->type)));
  }
  for (const ParameterDefinition& parameter : header.parameters) {
    if (!parameter.fixed_value) continue;
    const auto value = parameter_from(parameter.type, *parameter.fixed_value);
    if (value) file.attributes.push_back({quantity_of(parameter), *value});
  }
  file.warnings = header.warnings;
  file.declared = declared_step(header);
  return file;
}

SddsDescriber::SddsDescriber(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                             const HeaderOptions& options)
    : bytes_(std::move(bytes)),
      context_(context),
      header_(without_row_counts(read_header(*bytes_, context_, options), options)),
      file_(file_description(header_)),
      size_(bytes_->size()),
      ahead_(*bytes_, size_),
      strict_(options.strict),
      numbered_(has_step_parameter(header_)) {
  add_file_attributes();
}

void SddsDescriber::add_file_attributes() {
  const bool any = std::any_of(header_.arrays.begin(), header_.arrays.end(),
                               [](const ArrayDefinition& array) { return array.group_name == file_attribute_group; });
  if (!any) return;
  look_up_to(0);
  if (!last_) return;
  file_.attributes.insert(file_.attributes.end(), last_->file_attributes.begin(), last_->file_attributes.end());
  std::erase_if(file_.declared->attributes, [&](const Attribute& declared) {
    return find_attribute(last_->file_attributes, declared.name) != nullptr;
  });
}

std::uint64_t SddsDescriber::steps() {
  while (!complete_) look_up_to(pages_.size());
  return pages_.size();
}

void SddsDescriber::look_for(std::uint64_t index) {
  // Only all pages together show whether Step numbers the steps, and numbers must not change once they are returned.
  if (numbered_) (void)steps();
  look_up_to(index);
}

std::int64_t SddsDescriber::step_number(std::uint64_t index) {
  look_for(index);
  if (index >= pages_.size()) throw Error(ErrorKind::missing, "there is no step at position " + std::to_string(index));
  return number_of(index);
}

std::optional<StepLayout> SddsDescriber::step(std::uint64_t index) {
  look_for(index);
  if (index < pages_.size()) {
    if (last_ && last_index_ == index) return finished(*last_, index);
    auto page = parse(index, pages_[index].offset, false);
    if (!page) throw Error(ErrorKind::io, "the file has become shorter while it was read").in_file(context_.path);
    return finished(*std::move(page), index);
  }
  if (damage_ && index == pages_.size()) throw Error(*damage_);
  return std::nullopt;
}

std::optional<StepLayout> SddsDescriber::verified(std::uint64_t index) {
  look_for(index);
  if (index >= pages_.size() || header_.data.mode == Mode::binary) return step(index);
  try {
    auto page = parse(index, pages_[index].offset, true);
    if (!page) throw Error(ErrorKind::io, "the file has become shorter while it was read").in_file(context_.path);
    return finished(*std::move(page), index);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    pages_.truncate(index);
    cut_ = false;
    last_.reset();
    note_damage(error, index);
    throw Error(*damage_);
  }
}

std::optional<StepLayout> SddsDescriber::salvage(std::uint64_t index) {
  look_for(index);
  if (!salvaged_ || index != pages_.size()) return std::nullopt;
  StepLayout layout = finished(*salvaged_, index);
  if (numbered_) layout.description.number = salvaged_->step.value_or(static_cast<std::int64_t>(index));
  return layout;
}

Publication SddsDescriber::repair() {
  (void)steps();
  Publication acts;
  // The file allows missing rows at its end, but nothing can be appended after them or after a part of a row. A bad
  // row before other rows is not an interrupted write: readers stop at it, and nothing is dropped.
  const bool is_cut = !pages_.empty() && cut_ && ending_.empty();
  if (is_cut) acts = correct_count();
  const bool rest = end_of_steps() < size_;
  // In text data, comments and blank lines may follow the last step.
  const bool stray = !damage_ && header_.data.mode == Mode::binary;
  if (rest && (is_cut || stray || unfinished_)) acts.emplace_back(PublishResize{end_of_steps()});
  return acts;
}

LastCount SddsDescriber::last_count() {
  const std::uint64_t index = pages_.size() - 1;
  const auto page = parse(index, pages_.back().offset, false);
  if (!page) throw Error(ErrorKind::io, "the file has become shorter while it was read").in_file(context_.path);
  LastCount count{page->count, page->layout.description.tables.front().rows};
  if (header_.data.mode == Mode::ascii) return count;
  count.place = {page->layout.offset, sizeof(std::int32_t)};
  std::vector<std::byte> word(sizeof(std::int32_t));
  const bool read = bytes_->read(count.place.offset, word) == word.size();
  if (read && load<std::int32_t>(word.data(), header_.order()) == wide_count_marker) {
    count.place = {count.place.offset + sizeof(std::int32_t), sizeof(std::int64_t)};
  }
  return count;
}

Publication SddsDescriber::correct_count() {
  const auto [place, rows] = last_count();
  std::vector<std::byte> bytes(static_cast<std::size_t>(place.bytes));
  if (header_.data.mode == Mode::ascii) {
    if (bytes_->read(place.offset, bytes) != bytes.size()) {
      throw Error(ErrorKind::io, "the file has become shorter while it was read").in_file(context_.path);
    }
    // The new count is smaller than the old one, so it fits in its place.
    return lowered_count(place.offset, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, rows);
  }
  if (bytes.size() == sizeof(std::int32_t)) {
    store(bytes.data(), static_cast<std::int32_t>(rows), header_.order());
  } else {
    store(bytes.data(), rows, header_.order());
  }
  return {PublishWrite{place.offset, std::move(bytes)}};
}

std::uint64_t SddsDescriber::end_of_steps() const { return pages_.empty() ? header_.data_offset : pages_.back().end; }

void SddsDescriber::look_up_to(std::uint64_t index) {
  while (!complete_ && pages_.size() <= index) {
    const std::uint64_t offset = end_of_steps();
    try {
      if (pages_.empty()) {
        if (const ParameterDefinition* parameter = bad_fixed_value(header_)) {
          throw Error(ErrorKind::bad_file,
                      "its fixed_value \"" + *parameter->fixed_value + "\" is not a value of its type")
              .on("parameter " + parameter->name);
        }
      }
      auto page = parse(pages_.size(), offset, false);
      if (!page) {
        complete_ = true;
      } else {
        remember(*page);
        last_ = std::move(page);
        last_index_ = pages_.size() - 1;
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_file) throw;
      note_damage(error, pages_.size());
    }
  }
}

std::optional<Page> SddsDescriber::parse(std::uint64_t index, std::uint64_t offset, bool careful) {
  const PageContext context{&header_, size_, context_.memory_budget, index == 0, strict_, careful};
  const std::unique_ptr<PageDescriber> describer = describe_page(context, offset);
  try {
    Window window = ahead_.last();
    while (const auto need = describer->advance(window)) window = ahead_.read(*need);
  } catch (Error& error) {
    if (error.kind() == ErrorKind::bad_file) {
      salvaged_ = describer->salvage();
      unfinished_ = describer->is_unfinished();
    }
    throw error.in_file(context_.path);
  }
  if (ending_.empty() && !describer->ending().empty()) {
    ending_ = describer->ending();
    file_.warnings.push_back(ending_);
  }
  return describer->take();
}

void SddsDescriber::remember(const Page& page) {
  if (pages_.bytes() >= context_.memory_budget) {
    throw Error(ErrorKind::memory, "the file has more steps than the memory budget can index")
        .in_file(context_.path)
        .advise("raise the memory budget: quire.open(..., memory_budget=)");
  }
  if (numbered_ && !(page.step && (pages_.empty() || *page.step > pages_.back().number))) {
    numbered_ = false;
    numbered_alone_ = pages_.size();
  }
  pages_.push_back({page.layout.offset, page.layout.end, page.step.value_or(0)});
  cut_ = page.cut;
  complete_ = page.cut;
}

void SddsDescriber::note_damage(Error error, std::uint64_t index) {
  complete_ = true;
  if (!error.object().empty()) {
    error.on("step at position " + std::to_string(index) + ", " + error.object());
  } else {
    error.on("step at position " + std::to_string(index));
  }
  error.in_file(context_.path);
  damage_ = std::move(error);
}

std::int64_t SddsDescriber::number_of(std::uint64_t index) const {
  return numbered_ ? pages_[index].number : static_cast<std::int64_t>(index);
}

StepLayout SddsDescriber::finished(Page page, std::uint64_t index) const {
  StepLayout layout = std::move(page.layout);
  layout.description.number = index < pages_.size() ? number_of(index) : static_cast<std::int64_t>(index);
  if (numbered_) {
    std::erase_if(layout.description.attributes,
                  [](const Attribute& attribute) { return attribute.name == step_parameter; });
  }
  return layout;
}

}  // namespace quire::sdds
