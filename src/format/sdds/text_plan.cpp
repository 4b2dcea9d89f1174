#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "format/records.hpp"
#include "format/sdds/page_plan.hpp"
#include "format/sdds/table_plan.hpp"
#include "format/sdds/text_title.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

// The slots: the bytes that rank 0 alone writes before the fields; rows; for each array of a field its elements and
// their bytes; the bytes of the rows.
constexpr std::size_t title_slot = 0;
constexpr std::size_t rows_slot = 1;
constexpr std::size_t first_field_slot = 2;

[[nodiscard]] std::size_t elements_slot(std::size_t array) noexcept { return first_field_slot + 2 * array; }
[[nodiscard]] std::size_t bytes_slot(std::size_t array) noexcept { return elements_slot(array) + 1; }

[[nodiscard]] TextStyle style_of(bool canonical) noexcept {
  return canonical ? TextStyle::canonical : TextStyle::lossless;
}

[[nodiscard]] bool is_without_strings(const ConstView& view) noexcept {
  return std::holds_alternative<std::monostate>(view.strings);
}

/// Elements of an array of a field, not placed yet.
[[nodiscard]] Run element_run(const Field& field, std::uint64_t component, TextStyle style) {
  Run run;
  run.cells = {{component, field.type}};
  TextLayout& layout = run.text.emplace();
  layout.lines_per_row = 0;
  layout.style = style;
  layout.values_per_line = array_values_per_line;
  layout.values = elements_of(field);
  return run;
}

/// Pages of text (specs/sdds.md section 3). Until a page is published, its comment states that it is unfinished, and
/// its row count is not a number.
class TextPlan final : public PagePlan {
 public:
  explicit TextPlan(const PageSubject& page)
      : page_(page),
        header_(*page.header),
        mine_(*page.mine),
        style_(style_of(page.canonical)),
        arrays_(field_arrays(mine_.description)) {}

  [[nodiscard]] std::vector<std::byte> guard() const override;
  [[nodiscard]] Measure measure(bool root) const override;
  [[nodiscard]] Placement place(std::uint64_t begin, std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> total, bool root) const override;
  [[nodiscard]] std::uint64_t end(std::uint64_t begin, std::span<const std::uint64_t> total) const override {
    return checked_add(rows_begin(begin, total), total[rows_bytes_slot()]);
  }
  [[nodiscard]] std::uint64_t count_offset(std::uint64_t begin, std::span<const std::uint64_t> total) const override {
    return field_begins(begin, total).back();
  }
  [[nodiscard]] std::uint64_t rows(std::span<const std::uint64_t> total) const override { return total[rows_slot]; }
  [[nodiscard]] Publication publish(std::uint64_t begin, std::span<const std::uint64_t> total) const override;

 private:
  [[nodiscard]] std::size_t rows_bytes_slot() const noexcept { return elements_slot(arrays_.size()); }
  [[nodiscard]] bool has_count() const noexcept { return !header_.columns.empty() && !header_.data.no_row_counts; }
  /// Without row counts, an empty line ends the rows of the previous page.
  [[nodiscard]] bool has_empty_line() const noexcept { return header_.data.no_row_counts && !page_.is_first; }
  /// Throws an unsupported error for a page that readers would not see at the end of the file, and for too many rows of
  /// a page that grows.
  void check_countable(std::uint64_t rows) const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] const Field& field_of(const FieldArray& array) const { return mine_.description.fields[array.field]; }
  /// The beginning of the elements of each array, in the order of the step, then the end of the fields.
  [[nodiscard]] std::vector<std::uint64_t> field_begins(std::uint64_t begin,
                                                        std::span<const std::uint64_t> total) const;
  [[nodiscard]] std::uint64_t rows_begin(std::uint64_t begin, std::span<const std::uint64_t> total) const {
    return checked_add(field_begins(begin, total).back(), has_count() ? text_count_bytes : 0);
  }
  /// The elements of this rank in an array: one piece after those of the lower ranks, or none.
  [[nodiscard]] Slice piece_of(const FieldArray& array) const;
  void place_fields(const std::vector<std::uint64_t>& begins, std::span<const std::uint64_t> before, bool root,
                    Placement& placement) const;

  PageSubject page_;
  const Header& header_;
  const StepPart& mine_;
  TextStyle style_;
  std::vector<FieldArray> arrays_;
};

std::string TextPlan::title() const {
  const std::string text = title_text(title_values(header_, *page_.file, mine_.description), style_);
  return (has_empty_line() ? "\n" : "") + page_comment(page_.number, false) + text;
}

std::vector<std::byte> TextPlan::guard() const {
  std::string text = title();
  if (has_count() && arrays_.empty()) text += unfinished_count_line();
  return bytes_of(text);
}

Measure TextPlan::measure(bool root) const {
  const StepDescription& step = mine_.description;
  Measure slots(first_field_slot, 0);
  if (root) slots[title_slot] = title().size();
  slots[rows_slot] = step.tables.empty() ? 0 : step.tables.front().rows;
  for (const FieldArray& array : arrays_) {
    slots.push_back(piece_of(array).count);
    slots.push_back(mine_.weights.fields.at(array.field).at(static_cast<std::size_t>(array.component)));
  }
  slots.push_back(step.tables.empty() ? 0 : mine_.weights.tables.at(0));
  return slots;
}

Slice TextPlan::piece_of(const FieldArray& array) const {
  const Field& field = field_of(array);
  const FieldPart& part = mine_.fields.at(array.field);
  SelectionWalk walk(field.extents, part.selection);
  const auto piece = walk.next();
  if (!piece) return {};
  if (piece->step == 1 && !walk.next()) return {piece->first, piece->count};
  throw Error(ErrorKind::unsupported, "in a file of text each rank writes one piece of a field, not several")
      .on(field.name)
      .advise("split the field along its slowest axis, or write mode=binary");
}

std::vector<std::uint64_t> TextPlan::field_begins(std::uint64_t begin, std::span<const std::uint64_t> total) const {
  std::vector<std::uint64_t> begins(arrays_.size() + 1, 0);
  std::uint64_t position = checked_add(begin, total[title_slot]);
  for (const OrderedArray& ordered : arrays_in_order(header_, mine_.description)) {
    position = checked_add(position, dimension_line(field_of(ordered.array).extents, ordered.array.name).size());
    begins[ordered.position] = position;
    position = checked_add(position, total[bytes_slot(ordered.position)]);
  }
  begins.back() = position;
  return begins;
}

void TextPlan::place_fields(const std::vector<std::uint64_t>& begins, std::span<const std::uint64_t> before, bool root,
                            Placement& placement) const {
  placement.fields.resize(mine_.description.fields.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const FieldArray& array = arrays_[i];
    const Field& field = field_of(array);
    if (root) {
      auto line = bytes_of(dimension_line(field.extents, array.name));
      const std::uint64_t offset = begins[i] - line.size();
      placement.title.add(offset, std::move(line));
    }
    const Slice piece = piece_of(array);
    if (piece.count == 0) continue;
    if (piece.first != before[elements_slot(i)]) {
      throw Error(ErrorKind::unsupported, "in a file of text the ranks write the pieces of a field in their order")
          .on(field.name)
          .advise("split the field along its slowest axis, or write mode=binary");
    }
    Run run = element_run(field, array.component, style_);
    run.offset = checked_add(begins[i], before[bytes_slot(i)]);
    run.records = piece.count;
    run.bytes = mine_.weights.fields.at(array.field).at(static_cast<std::size_t>(array.component));
    run.text->first_value = piece.first;
    placement.fields[array.field].push_back(std::move(run));
  }
}

void TextPlan::check_countable(std::uint64_t rows) const {
  static_cast<void>(row_count_for(header_, rows, page_.growth_rows));
  const bool has_parameters =
      std::any_of(header_.parameters.begin(), header_.parameters.end(),
                  [](const ParameterDefinition& parameter) { return !parameter.fixed_value.has_value(); });
  if (!has_empty_line() || rows != 0 || has_parameters || !arrays_.empty()) return;
  throw Error(ErrorKind::unsupported, "a step without rows and attributes is invisible in a file without row counts")
      .advise("set an attribute, or write with row counts");
}

Placement TextPlan::place(std::uint64_t begin, std::span<const std::uint64_t> before,
                          std::span<const std::uint64_t> total, bool root) const {
  check_countable(rows(total));
  const StepDescription& step = mine_.description;
  Placement placement;
  const auto begins = field_begins(begin, total);
  place_fields(begins, before, root, placement);
  if (root && has_count() && !arrays_.empty()) placement.title.add(begins.back(), bytes_of(unfinished_count_line()));
  if (!step.tables.empty()) {
    Run run = text_row_run(header_, mine_, page_.canonical);
    run.offset = checked_add(rows_begin(begin, total), before[rows_bytes_slot()]);
    run.records = step.tables.front().rows;
    run.bytes = mine_.weights.tables.at(0);
    placement.tables.push_back({std::move(run)});
  }
  placement.end = end(begin, total);
  return placement;
}

Publication TextPlan::publish(std::uint64_t begin, std::span<const std::uint64_t> total) const {
  const std::uint64_t comment = begin + (has_empty_line() ? 1 : 0);
  Publication acts{PublishWrite{comment, bytes_of(page_comment_state(true))}};
  if (!has_count()) return acts;
  // A partly written count would be another number: a letter makes it invalid until a single byte replaces it.
  const std::uint64_t rows = row_count_for(header_, total[rows_slot], page_.growth_rows);
  const std::uint64_t count = count_offset(begin, total);
  acts.emplace_back(PublishWrite{count, bytes_of(count_text(rows, true))});
  acts.emplace_back(PublishWrite{count + count_seal(rows), bytes_of(" ")});
  return acts;
}

}  // namespace

std::unique_ptr<PagePlan> plan_text_page(const PageSubject& page) { return std::make_unique<TextPlan>(page); }

Run text_row_run(const Header& header, const StepPart& mine, bool canonical) {
  Run run;
  run.cells = cells_of(header, mine);
  TextLayout& layout = run.text.emplace();
  layout.lines_per_row = header.data.lines_per_row;
  layout.style = style_of(canonical);
  return run;
}

void weigh_text(const Header& header, bool canonical, StepPart& part, bool lossy) {
  const StepDescription& step = part.description;
  const TextStyle style = style_of(canonical);
  part.weights.tables.resize(step.tables.size(), 0);
  part.weights.fields.resize(step.fields.size());
  for (std::size_t t = 0; t < std::min(part.tables.size(), step.tables.size()); ++t) {
    if (part.tables[t].empty() || part.tables[t].front().count == 0) continue;
    std::vector<std::string> names;
    for (const Column& column : step.tables[t].columns) names.push_back(column.name);
    const Run run = text_row_run(header, part, canonical);
    std::vector<ConstView> views;
    for (const Cell& cell : run.cells) views.push_back(part.tables[t].at(static_cast<std::size_t>(cell.column)));
    part.weights.tables[t] += text_bytes(run, views, lossy, names);
    // A plan without data has only the sizes of the strings.
    for (std::size_t c = 0; c < part.tables[t].size(); ++c) {
      const ConstView& view = part.tables[t][c];
      if (view.type == Type::string && is_without_strings(view))
        part.weights.tables[t] += part.string_bytes.at(t).at(c);
    }
  }
  for (std::size_t f = 0; f < std::min(part.fields.size(), step.fields.size()); ++f) {
    const Field& field = step.fields[f];
    part.weights.fields[f].resize(static_cast<std::size_t>(field.components), 0);
    for (std::size_t component = 0; component < part.fields[f].views.size(); ++component) {
      const std::vector<std::string> names(component + 1, field.name);
      const Run run = element_run(field, component, style);
      part.weights.fields[f][component] +=
          text_bytes(run, std::span(&part.fields[f].views[component], 1), lossy, names);
    }
  }
}

}  // namespace quire::sdds
