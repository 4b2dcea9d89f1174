#include "format/sdds/planner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/appending.hpp"
#include "format/sdds/describer.hpp"
#include "format/sdds/header_writer.hpp"
#include "format/sdds/names.hpp"
#include "format/sdds/page_plan.hpp"
#include "format/sdds/text_title.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

// The first slot of a measure: the bytes of the header. It exists also for steps that do not write a header, so that
// equal steps have equal measures. The slots of the page follow.
constexpr std::size_t header_slot = 0;
constexpr std::size_t first_page_slot = 1;

// Bytes of a cache line. A column that begins at a multiple of it is copied at full speed by writers and readers. The
// next columns are aligned as well if the size of a column is a multiple of it (specs/performance.md section 4,
// relative alignment).
constexpr std::uint64_t column_alignment = 64;

/// Whether a line of text ends at an offset.
[[nodiscard]] bool ends_line(ByteSource& bytes, std::uint64_t offset) {
  std::byte last{};
  return offset == 0 || bytes.read(offset - 1, std::span(&last, 1)) == 0 || last == std::byte{'\n'};
}

/// The number of steps up to and including the one of this number. Numbers grow from step to step.
[[nodiscard]] std::uint64_t steps_up_to(SddsDescriber& describer, std::int64_t number) {
  const std::uint64_t steps = describer.steps();
  std::uint64_t found = 0;
  while (found < steps && describer.step_number(found) < number) ++found;
  if (found < steps && describer.step_number(found) == number) return found + 1;
  throw no_step_to_append_after(number, steps == 0 ? std::nullopt : std::optional(describer.step_number(steps - 1)));
}

/// Whether the parameter Step of this step's page is its number: always if Quire added it, possibly if the user did.
[[nodiscard]] bool keeps_number(const Header& header, const StepDescription& step) {
  if (!has_step_parameter(header)) return false;
  const Attribute* own = find_attribute(step.attributes, step_parameter);
  return own == nullptr || (own->value.is_scalar() && own->value.as_text() == std::to_string(step.number));
}

/// Throws a type error for a number that does not fit into the parameter Step that Quire added.
void check_width(const Header& header, const StepDescription& step) {
  const ParameterDefinition* numbers = find_step_parameter(header);
  if (numbers == nullptr || find_attribute(step.attributes, step_parameter) != nullptr) return;
  try {
    static_cast<void>(Value(step.number).converted_to(numbers->type));
  } catch (const Error&) {
    throw Error(ErrorKind::type, "the number " + std::to_string(step.number) + " does not fit into type " +
                                     std::string(file_name(numbers->type)) + " of the step numbers in this file")
        .on(std::string(step_parameter))
        .advise("create the file with step_type=long64; quire convert --option step_type=long64 writes such a copy");
  }
}

}  // namespace

void SddsPlanner::check_layout(const Header& header) const {
  const auto differs = [](const std::string& what, const std::string& option) {
    return Error(ErrorKind::conflict, "the file has another " + what).advise("omit the option " + option);
  };
  const DataCommand& data = header.data;
  const bool binary = data.mode == Mode::binary;
  if (given_.mode && layout_.mode != data.mode) throw differs("mode", "mode");
  if (given_.order && binary && layout_.order != header.order()) throw differs("byte order", "byte_order");
  if (given_.major && binary && layout_.column_major != data.column_major) throw differs("major order", "major_order");
  // Without columns the layout of rows has no meaning and is not stored in the file.
  const bool rows_of_text = !binary && !header.columns.empty();
  if (given_.lines && rows_of_text && layout_.lines_per_row != data.lines_per_row) {
    throw differs("number of lines for a row", "lines_per_row");
  }
  if (given_.counts && rows_of_text && layout_.no_row_counts != data.no_row_counts) {
    throw differs("way to end the rows of a page", "no_row_counts");
  }
  const bool grows = !data.column_major && !data.no_row_counts;
  const bool may_grow = data.fixed_row_count && (header.columns.empty() || grows);
  if (layout_.growth_rows != 0 && !may_grow) {
    throw Error(ErrorKind::conflict, "the pages of the file cannot grow: it was not written with fixed_row_count")
        .advise("omit the option fixed_row_count");
  }
  const ParameterDefinition* numbers = find_step_parameter(header);
  if (given_.number_type && numbers != nullptr && layout_.wide_numbers != (numbers->type == Type::int64)) {
    throw differs("type of step numbers", "step_type");
  }
  const auto has_width = [](const auto& definition) { return definition.field_length != 0; };
  if (!binary && (std::any_of(header.columns.begin(), header.columns.end(), has_width) ||
                  std::any_of(header.arrays.begin(), header.arrays.end(), has_width))) {
    throw Error(ErrorKind::unsupported, "the file has values of fixed width, which cannot be written");
  }
  if (rows_of_text && data.lines_per_row > std::ssize(header.columns)) {
    throw Error(ErrorKind::unsupported, "the file has rows with more lines than columns, which cannot be written");
  }
}

std::optional<GrowingPage> SddsPlanner::last_page_of(SddsDescriber& describer) const {
  const DataCommand& data = describer.header().data;
  const LastCount count = describer.last_count();
  GrowingPage page;
  page.count_offset = count.place.offset;
  page.rows = count.rows;
  page.stored_count = count.rows;
  // A count of another width cannot be written in place.
  const std::size_t width = data.mode == Mode::ascii ? text_count_bytes - 1 : sizeof(std::int32_t);
  if (count.place.bytes != width) return std::nullopt;
  return page;
}

Publication SddsPlanner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after, bool drop) {
  const std::uint64_t size = existing->size();
  SddsDescriber describer(existing, {}, {});
  const Header& header = describer.header();
  check_layout(header);

  const std::uint64_t whole = describer.steps();
  const bool foreign_damage = describer.damage() && !describer.is_unfinished();
  if (!drop && foreign_damage) throw Error(*describer.damage());
  if (!drop && !describer.ending().empty()) {
    // The bytes that readers skip may be steps. They are only removed on request.
    throw Error(ErrorKind::conflict, describer.ending())
        .advise("request that the rest is dropped, or write to another file");
  }
  const std::uint64_t kept = after ? steps_up_to(describer, *after) : whole;
  if (!drop && kept < whole) {
    throw Error(ErrorKind::conflict, "the file has steps after step " + std::to_string(*after))
        .advise("request that they are dropped, or write to another file");
  }
  if (kept < whole && kept != 0 && kept <= describer.numbered_alone()) {
    throw Error(ErrorKind::conflict,
                "the steps would have other numbers: they are counted, because Step does not "
                "increase in later steps, and without these Step numbers them")
        .on(std::string(step_parameter))
        .advise("convert the steps to keep into another file");
  }

  Publication acts;
  if (kept == 0 && begins_anew(describer, *existing)) {
    if (header.data_offset < size) acts.emplace_back(PublishResize{header.data_offset});
    return acts;
  }
  if (kept == whole && kept != 0 && describer.is_cut(kept - 1)) acts = describer.correct_count();
  keep_steps(describer, kept);
  const bool has_rows = kept != 0 && !header.columns.empty();
  if (layout_.growth_rows != 0 && kept == whole && has_rows) growing_ = last_page_of(describer);
  if (end_ < size) acts.emplace_back(PublishResize{end_});
  if (layout_.mode == Mode::ascii && !ends_line(*existing, end_)) {
    acts.emplace_back(PublishWrite{end_, bytes_of("\n")});
    ++end_;
  }
  return acts;
}

void SddsPlanner::keep_steps(const SddsDescriber& describer, std::uint64_t steps) {
  header_ = describer.header();
  header_->declared_order = header_->order();
  layout_.order = header_->order();
  layout_.column_major = header_->data.column_major;
  layout_.mode = header_->data.mode;
  file_ = describer.file();
  file_.declared.reset();  // it is in the header
  pages_ = steps;
  pages_found_ = steps;
  numbered_ = has_step_parameter(*header_) && (steps == 0 || describer.is_numbered());
  end_ = steps == 0 ? header_->data_offset : describer.end_of(steps - 1);
  last_number_ = steps == 0 ? 0 : describer.known_number(steps - 1);
  resumed_ = true;
  bool field_seen = false;
  for (const ArrayDefinition& array : header_->arrays) {
    if (is_attribute_array(array) && field_seen) {
      throw Error(ErrorKind::unsupported, "attributes are after fields in this file, which cannot be continued")
          .on("array " + array.name);
    }
    field_seen = field_seen || !is_attribute_array(array);
  }
}

bool SddsPlanner::begins_anew(const SddsDescriber& describer, ByteSource& existing) {
  const Header& header = describer.header();
  if (!header.columns.empty() || !header.arrays.empty()) return false;
  WriteLayout layout = layout_;
  layout.order = header.order();
  layout.column_major = header.data.column_major;
  layout.mode = header.data.mode;
  const ParameterDefinition* numbers = find_step_parameter(header);
  layout.step_parameter = numbers != nullptr;
  layout.wide_numbers = numbers != nullptr && numbers->type == Type::int64;
  if (header.version != lowest_version(header)) layout.version = header.version;
  FileDescription file = describer.file();
  file.declared.reset();
  const std::vector<std::byte> own = bare_header(file, layout);
  std::vector<std::byte> there(static_cast<std::size_t>(header.data_offset));
  // Files of other programs are not changed.
  if (existing.read(0, there) != there.size() || there != own) return false;
  layout_ = layout;
  file_ = std::move(file);
  resumed_ = true;
  return true;
}

std::vector<std::byte> SddsPlanner::state() const {
  // Every rank updates its own state after a published step.
  if (!resumed_) return {};
  return pack(*this);
}

void SddsPlanner::adopt(std::span<const std::byte> state) {
  if (state.empty()) return;
  Unpacker unpacker(state);
  unpacker(*this);
}

void SddsPlanner::set_file(const FileDescription& file) {
  FileDescription held = held_file(file);
  if (!header_) {
    if (given_.useless) throw Error(*given_.useless);
    file_ = std::move(held);
    return;
  }
  const auto refuse = [](const std::string& object) {
    return Error(ErrorKind::conflict, "the existing file has another value, which cannot be changed").on(object);
  };
  if (!held.title.empty() && held.title != file_.title) throw refuse("title");
  if (!held.contents.empty() && held.contents != file_.contents) throw refuse("contents");
  for (const Attribute& attribute : held.attributes) {
    const Attribute* there = find_attribute(file_.attributes, attribute.name);
    if (there == nullptr || there->value != attribute.value) throw refuse(attribute.name);
  }
}

StepDescription SddsPlanner::accept(const StepDescription& step, bool lossy) const {
  StepDescription held = held_step(step);
  const Header header = header_of(held);
  if (is_growth(held)) {
    check_growth(held);
  } else {
    check_number(header, held);
  }
  check_page(header);
  return agreed_step(header, std::move(held), lossy);
}

void SddsPlanner::check_page(const Header& header) const {
  const bool has_parameters = std::any_of(header.parameters.begin(), header.parameters.end(),
                                          [](const ParameterDefinition& one) { return !one.fixed_value; });
  if (header.data.mode == Mode::binary || has_parameters || !header.arrays.empty() || !header.columns.empty()) return;
  if (pages_ != 0) throw Error(ErrorKind::unsupported, "a file of text without any values has at most one step");
}

bool SddsPlanner::is_growth(const StepDescription& step) const { return growing_ && step.number == last_number_; }

void SddsPlanner::check_growth(const StepDescription& step) const {
  if (!step.attributes.empty()) {
    throw Error(ErrorKind::conflict, "the page that grows has its attributes already").on(step.attributes[0].name);
  }
  if (!step.fields.empty()) {
    throw Error(ErrorKind::unsupported, "only tables can grow").on(step.fields[0].name);
  }
}

void SddsPlanner::check_number(const Header& header, const StepDescription& step) const {
  if (numbered_ && keeps_number(header, step)) {
    if (pages_ != 0 && step.number <= last_number_) {
      Error error(ErrorKind::conflict, "step " + std::to_string(step.number) + " does not follow step " +
                                           std::to_string(last_number_) + ", the last one of the file");
      if (step.number == last_number_ && header_ && header_->data.fixed_row_count) {
        error.advise("open the file with fixed_row_count=500 to add rows to the last page");
      }
      throw error;
    }
    check_width(header, step);
    return;
  }
  if (step.number >= 0 && static_cast<std::uint64_t>(step.number) == pages_) return;
  throw Error(ErrorKind::conflict, "the file cannot store the number " + std::to_string(step.number) +
                                       ": its steps are counted, and this one is step " + std::to_string(pages_));
}

Header SddsPlanner::header_of(const StepDescription& step) const {
  return header_ ? *header_ : header_for(file_, file_.declared ? *file_.declared : step, layout_);
}

std::string SddsPlanner::first_header(const Header& header, const StepPart& mine) const {
  std::string text = write_header(header, {layout_.canonical, layout_.version});
  const DataCommand& data = header.data;
  if (layout_.canonical || data.mode != Mode::binary || !data.column_major || header.columns.empty()) return text;
  const auto first = first_column(page_subject(header, mine));
  const std::uint64_t over = first ? checked_add(text.size(), *first) % column_alignment : 0;
  if (over != 0) lengthen(text, static_cast<std::size_t>(column_alignment - over));
  return text;
}

PageSubject SddsPlanner::page_subject(const Header& header, const StepPart& mine) const {
  PageSubject page{.header = &header, .file = &file_, .mine = &mine, .canonical = layout_.canonical};
  // The reference counts pages from the opening of the file on; otherwise all pages of the file are counted.
  page.number = pages_ - (layout_.canonical ? pages_found_ : 0) + 1;
  page.is_first = pages_ == 0;
  page.growth_rows = layout_.growth_rows;
  return page;
}

std::unique_ptr<PagePlan> SddsPlanner::page_plan(const Header& header, const StepPart& mine) const {
  const PageSubject page = page_subject(header, mine);
  return is_growth(mine.description) ? plan_growth(page) : plan_page(page);
}

void SddsPlanner::require_row_places(const StepDescription& step, std::size_t table) const {
  const auto refuse = [&](const std::string& object, const std::string& why, const std::string& advice) {
    throw Error(ErrorKind::unsupported, "rows cannot be chosen here: " + why).on(object).advise(advice);
  };
  const std::vector<Column>& columns = step.tables[table].columns;
  if (layout_.mode == Mode::ascii) {
    refuse(step.tables[table].name, "the offset of a row of text depends on the rows before it",
           "write the file with mode=binary");
  }
  if (is_growth(step)) {
    refuse(step.tables[table].name, "the rows of a page that grows have no fixed offsets",
           "begin another step, or write the rows of each rank after those of the lower ranks");
  }
  const auto text = std::ranges::find(columns, Type::string, &Column::type);
  if (text != columns.end()) {
    refuse(text->name, "the offset of a row depends on the strings before it",
           "write numbers, or write the rows of each rank after those of the lower ranks");
  }
}

PlannerCapabilities SddsPlanner::capabilities() {
  return {.weigher = layout_.mode == Mode::ascii ? this : nullptr, .row_places = this};
}

void SddsPlanner::weigh(StepPart& part, bool lossy) const {
  weigh_text(header_of(part.description), layout_.canonical, part, lossy);
}

WritePlan SddsPlanner::guard(const StepPart& mine) {
  const Header header = header_of(mine.description);
  WritePlan plan;
  if (growing_) {
    // Before rows are added, the count must be ahead of them; before another page is added, it must be the true one.
    const bool grows = is_growth(mine.description);
    const std::uint64_t own = grows && !mine.description.tables.empty() ? mine.description.tables.front().rows : 0;
    const std::uint64_t rows = growing_->rows + own;
    const std::uint64_t count = !grows                          ? rows
                                : rows > growing_->stored_count ? row_count_for(header, rows, layout_.growth_rows)
                                                                : growing_->stored_count;
    if (count != growing_->stored_count) {
      PublishWrite write = count_change(header, growing_->count_offset, growing_->stored_count, count);
      plan.add(write.offset, std::move(write.bytes));
    }
    growing_->stored_count = count;
    if (grows) return plan;
  }
  std::vector<std::byte> bytes = header_ ? std::vector<std::byte>() : bytes_of(first_header(header, mine));
  const auto mark = page_plan(header, mine)->guard();
  bytes.insert(bytes.end(), mark.begin(), mark.end());
  plan.add(end_, std::move(bytes));
  return plan;
}

Measure SddsPlanner::measure(const StepPart& mine, bool root) const {
  const Header header = header_of(mine.description);
  Measure slots(first_page_slot, 0);
  if (root) slots[header_slot] = first_header(header, mine).size();
  const Measure page = page_plan(header, mine)->measure(root);
  slots.insert(slots.end(), page.begin(), page.end());
  return slots;
}

std::uint64_t SddsPlanner::page_begin(const Measure& total) const {
  return checked_add(end_, header_ ? 0 : total.at(header_slot));
}

Placement SddsPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool root) const {
  const Header header = header_of(mine.description);
  const auto page = page_plan(header, mine);
  const auto page_total = std::span(total).subspan(first_page_slot);
  Placement placement = page->place(page_begin(total), std::span(before).subspan(first_page_slot), page_total, root);
  if (is_growth(mine.description)) {
    const std::uint64_t rows = checked_add(growing_->rows, page->rows(page_total));
    const std::uint64_t count = row_count_for(header, rows, layout_.growth_rows);
    if (root && rows > growing_->stored_count) {
      PublishWrite write = count_change(header, growing_->count_offset, growing_->stored_count, count);
      placement.title.add(write.offset, std::move(write.bytes));
    }
  }
  return placement;
}

Publication SddsPlanner::publish(const StepPart& mine, const Measure& total) {
  const Header header = header_of(mine.description);
  return page_plan(header, mine)->publish(page_begin(total), std::span(total).subspan(first_page_slot));
}

void SddsPlanner::advance(const StepPart& mine, const Measure& total, bool published) {
  if (!published) return;
  // Every rank has the totals, but only rank 0 has the size of its title.
  const Header header = header_of(mine.description);
  const auto page = page_plan(header, mine);
  const auto page_total = std::span(total).subspan(first_page_slot);
  const bool grows = is_growth(mine.description);
  const std::uint64_t rows = (grows ? growing_->rows : 0) + page->rows(page_total);
  if (layout_.growth_rows != 0 && !header.columns.empty()) {
    const std::uint64_t count = row_count_for(header, rows, layout_.growth_rows);
    if (grows) {
      growing_->rows = rows;
      if (rows > growing_->stored_count) growing_->stored_count = count;
    } else {
      growing_ = GrowingPage{page->count_offset(page_begin(total), page_total), rows, count};
    }
  }
  end_ = page->end(page_begin(total), page_total);
  if (!header_) header_ = header;
  numbered_ = numbered_ && keeps_number(*header_, mine.description);
  last_number_ = mine.description.number;
  if (!grows) ++pages_;
  resumed_ = false;
}

Publication SddsPlanner::finish() {
  if (growing_ && growing_->stored_count != growing_->rows) {
    return {count_change(*header_, growing_->count_offset, growing_->stored_count, growing_->rows)};
  }
  if (header_) return {};
  return {PublishWrite{0, bare_header(file_, layout_)}};
}

std::vector<std::byte> SddsPlanner::bare_header(const FileDescription& file, WriteLayout layout) const {
  const StepDescription declared = file.declared.value_or(StepDescription());
  const bool has_columns = !declared.tables.empty() && !declared.tables.front().columns.empty();
  if (!has_columns) layout.lines_per_row = 1;
  // A file of text without any structure would be read as one step.
  const bool has_structure = has_columns || !declared.attributes.empty() || !declared.fields.empty();
  if (layout.mode == Mode::ascii && !has_structure) layout.step_parameter = true;
  return bytes_of(write_header(header_for(file, declared, layout), {layout.canonical, layout.version}));
}

}  // namespace quire::sdds
