#include "format/sdds/planner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "format/sdds/binary_page.hpp"
#include "format/sdds/describer.hpp"
#include "format/sdds/header_writer.hpp"
#include "format/sdds/table_plan.hpp"
#include "format/sdds/title.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/format/records.hpp"

namespace quire::sdds {
namespace {

// The slots of a measure that are always there.
constexpr std::size_t title_slot = 0;
constexpr std::size_t header_slot = 1;
constexpr std::size_t rows_slot = 2;
constexpr std::size_t first_string_slot = 3;

constexpr std::uint64_t count_bytes = sizeof(std::int32_t);
constexpr std::uint64_t largest_narrow_count = std::numeric_limits<std::int32_t>::max();

[[nodiscard]] bool is_wide(std::uint64_t rows) noexcept { return rows > largest_narrow_count; }

/// Bytes of the row count of a page.
[[nodiscard]] std::uint64_t bytes_of_count(std::uint64_t rows) noexcept {
  return count_bytes + (is_wide(rows) ? sizeof(std::int64_t) : 0);
}

template <class Number>
[[nodiscard]] std::vector<std::byte> word(Number number, ByteOrder order) {
  std::vector<std::byte> bytes(sizeof(Number));
  store(bytes.data(), number, order);
  return bytes;
}

[[nodiscard]] std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

[[nodiscard]] std::uint64_t elements_of(const Field& field) {
  return std::find(field.extents.begin(), field.extents.end(), 0) != field.extents.end() ? 0 : volume(field.extents);
}

[[nodiscard]] bool is_empty(const Box& box) {
  return box.count.empty() || std::find(box.count.begin(), box.count.end(), 0) != box.count.end();
}

/// Whether the parameter Step of this step's page says its number: our own one does, one of the user may.
[[nodiscard]] bool keeps_number(const Header& header, const StepDescription& step) {
  if (!has_step_parameter(header)) return false;
  const Attribute* own = find_attribute(step.attributes, step_parameter);
  return own == nullptr || (own->value.is_scalar() && own->value.as_text() == std::to_string(step.number));
}

}  // namespace

Publication SddsPlanner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after, bool drop) {
  const std::uint64_t size = existing->size();
  SddsDescriber describer(std::move(existing), {}, {});
  const Header& header = describer.header();
  if (header.data.mode == Mode::ascii) {
    throw Error(ErrorKind::unsupported, "a file with text data cannot be continued");
  }
  if (order_given_ && layout_.order != header.order()) {
    throw Error(ErrorKind::conflict, "the file has the other byte order").advise("leave the option byte_order out");
  }
  if (major_given_ && layout_.column_major != header.data.column_major) {
    throw Error(ErrorKind::conflict, "the file has the other major order").advise("leave the option major_order out");
  }
  const std::uint64_t whole = describer.steps();
  std::uint64_t kept = whole;
  if (after) {
    kept = 0;
    while (kept < whole && describer.step_number(kept) <= *after) ++kept;
  }
  const bool foreign_damage = describer.damage() && !describer.is_unfinished();
  if (!drop && foreign_damage) throw Error(*describer.damage());
  if (!drop && kept < whole) {
    throw Error(ErrorKind::conflict, "the file holds steps behind step " + std::to_string(*after))
        .advise("ask for them to be dropped, or write to another file");
  }

  Publication acts;
  if (kept == whole && kept != 0 && describer.is_cut(kept - 1)) acts.emplace_back(describer.true_count());
  keep_steps(describer, kept);
  if (end_ < size) acts.emplace_back(PublishResize{end_});
  return acts;
}

void SddsPlanner::keep_steps(const SddsDescriber& describer, std::uint64_t steps) {
  header_ = describer.header();
  header_->declared_order = header_->order();
  layout_.order = header_->order();
  layout_.column_major = header_->data.column_major;
  file_ = describer.file();
  pages_ = steps;
  numbered_ = has_step_parameter(*header_) && (steps == 0 || describer.is_numbered());
  end_ = steps == 0 ? header_->data_offset : describer.end_of(steps - 1);
  last_number_ = steps == 0 ? 0 : describer.known_number(steps - 1);
  resumed_ = true;
  bool field_seen = false;
  for (const ArrayDefinition& array : header_->arrays) {
    if (is_attribute_array(array) && field_seen) {
      throw Error(ErrorKind::unsupported, "attributes stand behind fields in this file, which cannot be continued")
          .on("array " + array.name);
    }
    field_seen = field_seen || !is_attribute_array(array);
  }
}

std::vector<std::byte> SddsPlanner::state() const {
  // What a published step changes every rank knows by itself.
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
    file_ = std::move(held);
    return;
  }
  const auto refuse = [](const std::string& object) {
    return Error(ErrorKind::conflict, "the existing file does not have it so, and it cannot be changed").on(object);
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
  check_number(held);
  const Header header = header_of(held);
  return agreed_step(header, std::move(held), lossy);
}

void SddsPlanner::check_number(const StepDescription& step) const {
  if (numbered_ && keeps_number(header_of(step), step)) {
    if (pages_ != 0 && step.number <= last_number_) {
      throw Error(ErrorKind::conflict, "step " + std::to_string(step.number) + " does not follow step " +
                                           std::to_string(last_number_) + ", the last one of the file");
    }
    return;
  }
  if (step.number >= 0 && static_cast<std::uint64_t>(step.number) == pages_) return;
  throw Error(ErrorKind::conflict, "nothing in the file keeps the number " + std::to_string(step.number) +
                                       ": its steps are counted, and this one is step " + std::to_string(pages_));
}

Header SddsPlanner::header_of(const StepDescription& step) const {
  return header_ ? *header_ : header_for(file_, step, layout_);
}

std::uint64_t SddsPlanner::page_begin(const Header& header) const {
  return header_ ? end_ : end_ + write_header(header).size();
}

WritePlan SddsPlanner::guard(const StepPart& mine) {
  const Header header = header_of(mine.description);
  WritePlan plan;
  std::vector<std::byte> bytes = header_ ? std::vector<std::byte>() : bytes_of(write_header(header));
  const auto count = word(unfinished_count, layout_.order);
  bytes.insert(bytes.end(), count.begin(), count.end());
  plan.add(end_, std::move(bytes));
  return plan;
}

Measure SddsPlanner::measure(const StepPart& mine, bool root) const {
  const StepDescription& step = mine.description;
  const Header header = header_of(step);
  Measure slots(first_string_slot, 0);
  if (root) {
    slots[title_slot] = title_bytes(header, file_, step).size();
    slots[header_slot] = write_header(header).size();
  }
  slots[rows_slot] = step.tables.empty() ? 0 : step.tables.front().rows;
  for (const FieldArray& array : field_arrays(step)) {
    if (step.fields[array.field].type != Type::string) continue;
    const FieldPart& part = mine.fields.at(array.field);
    if (!is_empty(part.box) && part.box != whole(step.fields[array.field].extents)) {
      throw Error(ErrorKind::unsupported, "strings of a field can only be written whole, by one rank")
          .on(step.fields[array.field].name);
    }
    slots.push_back(is_empty(part.box) ? 0
                                       : bytes_of_strings(part.views.at(static_cast<std::size_t>(array.component))));
  }
  const auto strings = table_string_slots(header, mine);
  slots.insert(slots.end(), strings.begin(), strings.end());
  return slots;
}

Placement SddsPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool root) const {
  const StepDescription& step = mine.description;
  const Header header = header_of(step);
  const std::uint64_t rows = total.at(rows_slot);
  Placement placement;
  if (root) {
    const std::uint64_t behind_count = page_begin(header) + count_bytes;
    std::vector<std::byte> title = is_wide(rows) ? word(rows, layout_.order) : std::vector<std::byte>();
    const auto values = title_bytes(header, file_, step);
    title.insert(title.end(), values.begin(), values.end());
    if (!title.empty()) placement.title.add(behind_count, std::move(title));
  }
  std::uint64_t position = checked_add(end_, header_ ? 0 : total.at(header_slot));
  position = checked_add(position, checked_add(total.at(title_slot), bytes_of_count(rows)));
  position = place_fields(header, mine, total, position, root, placement);

  const std::size_t strings = table_string_slots(header, mine).size();
  const TableSlots slots{.rows_before = before.at(rows_slot),
                         .rows = rows,
                         .strings_before = std::span(before).last(strings),
                         .strings = std::span(total).last(strings)};
  TablePlan table = plan_table(header, mine, slots, position);
  if (!step.tables.empty()) placement.tables.push_back(std::move(table.runs));
  placement.end = table.end;
  return placement;
}

std::uint64_t SddsPlanner::place_fields(const Header& header, const StepPart& mine, const Measure& total,
                                        std::uint64_t position, bool root, Placement& placement) const {
  const StepDescription& step = mine.description;
  placement.fields.resize(step.fields.size());
  const auto arrays = field_arrays(step);
  // In the order of the header; the slots of strings come in the order of the step.
  std::map<std::string, std::uint64_t, std::less<>> begins;
  for (const ArrayDefinition& definition : header.arrays) {
    if (is_attribute_array(definition)) continue;
    std::size_t slot = first_string_slot;
    const FieldArray* wanted = nullptr;
    for (const FieldArray& array : arrays) {
      if (array.name == definition.name) {
        wanted = &array;
        break;
      }
      if (step.fields[array.field].type == Type::string) ++slot;
    }
    if (wanted == nullptr) throw Error(ErrorKind::internal, "a step was not accepted").on(definition.name);
    const Field& field = step.fields[wanted->field];
    auto dimensions = dimension_bytes(field.extents, layout_.order);
    const std::uint64_t begin = checked_add(position, dimensions.size());
    if (root) placement.title.add(position, std::move(dimensions));
    begins[definition.name] = begin;
    const std::uint64_t bytes =
        field.type == Type::string ? total.at(slot) : checked_multiply(elements_of(field), size_of(field.type));
    position = checked_add(begin, bytes);
  }
  for (const FieldArray& array : arrays) {
    const Field& field = step.fields[array.field];
    const FieldPart& part = mine.fields.at(array.field);
    auto runs = field_runs(field, array.component, part, begins.at(array.name), layout_.order);
    auto& all = placement.fields[array.field];
    all.insert(all.end(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
  }
  return position;
}

Publication SddsPlanner::publish(const StepPart& mine, const Measure& total) {
  const std::uint64_t rows = total.at(rows_slot);
  const std::int32_t count = is_wide(rows) ? wide_count_marker : static_cast<std::int32_t>(rows);
  return {PublishWrite{page_begin(header_of(mine.description)), word(count, layout_.order)}};
}

void SddsPlanner::advance(const StepPart& mine, const Measure& total, bool published) {
  if (!published) return;
  // Every rank knows the totals, though only rank 0 knows the bytes of its title.
  end_ = place(mine, Measure(total.size(), 0), total, false).end;
  if (!header_) header_ = header_of(mine.description);
  numbered_ = numbered_ && keeps_number(*header_, mine.description);
  last_number_ = mine.description.number;
  ++pages_;
  resumed_ = false;
}

Publication SddsPlanner::finish() {
  if (header_) return {};
  return {PublishWrite{0, bytes_of(write_header(header_for(file_, {}, layout_)))}};
}

}  // namespace quire::sdds
