#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "format/sdds/binary_page.hpp"
#include "format/sdds/page_plan.hpp"
#include "format/sdds/table_plan.hpp"
#include "format/sdds/title.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

// The fixed slots: the bytes that rank 0 alone writes before the fields, without the row count; rows. They are followed
// by one slot for the elements of each field of strings, and by the bytes of the strings of the table: one slot in
// total if row-major with string columns, one for each string column if column-major.
constexpr std::size_t title_slot = 0;
constexpr std::size_t rows_slot = 1;
constexpr std::size_t first_string_slot = 2;

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

/// Binary pages (specs/sdds.md section 4): the row count is -1 until a page is published.
class BinaryPlan final : public PagePlan {
 public:
  explicit BinaryPlan(const PageSubject& page)
      : header_(*page.header),
        file_(*page.file),
        mine_(*page.mine),
        order_(header_.order()),
        growth_rows_(page.growth_rows) {}

  [[nodiscard]] std::vector<std::byte> guard() const override { return word(unfinished_count, order_); }
  [[nodiscard]] Measure measure(bool root) const override;
  [[nodiscard]] Placement place(std::uint64_t begin, std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> total, bool root) const override;
  [[nodiscard]] std::uint64_t end(std::uint64_t begin, std::span<const std::uint64_t> total) const override {
    return place(begin, Measure(total.size(), 0), total, false).end;
  }
  [[nodiscard]] std::uint64_t count_offset(std::uint64_t begin, std::span<const std::uint64_t>) const override {
    return begin;
  }
  [[nodiscard]] std::uint64_t rows(std::span<const std::uint64_t> total) const override { return total[rows_slot]; }
  [[nodiscard]] Publication publish(std::uint64_t begin, std::span<const std::uint64_t> total) const override;

 private:
  [[nodiscard]] std::uint64_t place_fields(std::uint64_t position, std::span<const std::uint64_t> total, bool root,
                                           Placement& placement) const;

  const Header& header_;
  const FileDescription& file_;
  const StepPart& mine_;
  ByteOrder order_;
  std::uint64_t growth_rows_;
};

Measure BinaryPlan::measure(bool root) const {
  const StepDescription& step = mine_.description;
  Measure slots(first_string_slot, 0);
  if (root) slots[title_slot] = title_bytes(header_, file_, step).size();
  slots[rows_slot] = step.tables.empty() ? 0 : step.tables.front().rows;
  for (const FieldArray& array : field_arrays(step)) {
    if (step.fields[array.field].type != Type::string) continue;
    const FieldPart& part = mine_.fields.at(array.field);
    const std::uint64_t selected = part.selection.elements();
    if (selected != 0 && selected != volume(step.fields[array.field].extents)) {
      throw Error(ErrorKind::unsupported, "strings of a field can only be written whole, by one rank")
          .on(step.fields[array.field].name);
    }
    slots.push_back(selected == 0 ? 0 : bytes_of_strings(part.views.at(static_cast<std::size_t>(array.component))));
  }
  const auto strings = table_string_slots(header_, mine_);
  slots.insert(slots.end(), strings.begin(), strings.end());
  return slots;
}

Placement BinaryPlan::place(std::uint64_t begin, std::span<const std::uint64_t> before,
                            std::span<const std::uint64_t> total, bool root) const {
  const StepDescription& step = mine_.description;
  const std::uint64_t rows = total[rows_slot];
  static_cast<void>(row_count_for(header_, rows, growth_rows_));
  Placement placement;
  if (root) {
    std::vector<std::byte> title = is_wide(rows) ? word(rows, order_) : std::vector<std::byte>();
    const auto values = title_bytes(header_, file_, step);
    title.insert(title.end(), values.begin(), values.end());
    if (!title.empty()) placement.title.add(begin + count_bytes, std::move(title));
  }
  std::uint64_t position = checked_add(begin, checked_add(total[title_slot], bytes_of_count(rows)));
  position = place_fields(position, total, root, placement);

  const std::size_t strings = table_string_slots(header_, mine_).size();
  const TableSlots slots{.rows_before = before[rows_slot],
                         .rows = rows,
                         .strings_before = before.last(strings),
                         .strings = total.last(strings)};
  TablePlan table = plan_table(header_, mine_, slots, position);
  if (!step.tables.empty()) placement.tables.push_back(std::move(table.runs));
  placement.end = table.end;
  return placement;
}

std::uint64_t BinaryPlan::place_fields(std::uint64_t position, std::span<const std::uint64_t> total, bool root,
                                       Placement& placement) const {
  const StepDescription& step = mine_.description;
  placement.fields.resize(step.fields.size());
  const auto arrays = field_arrays(step);
  // Places are in the order of the header, slots and runs in the order of the step.
  std::vector<std::size_t> string_slots(arrays.size(), 0);
  std::size_t slot = first_string_slot;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (step.fields[arrays[i].field].type == Type::string) string_slots[i] = slot++;
  }
  std::vector<std::uint64_t> begins(arrays.size(), 0);
  for (const OrderedArray& ordered : arrays_in_order(header_, step)) {
    const Field& field = step.fields[ordered.array.field];
    auto dimensions = dimension_bytes(field.extents, order_);
    begins[ordered.position] = checked_add(position, dimensions.size());
    if (root) placement.title.add(position, std::move(dimensions));
    const std::uint64_t bytes = field.type == Type::string ? total[string_slots[ordered.position]]
                                                           : checked_multiply(elements_of(field), size_of(field.type));
    position = checked_add(begins[ordered.position], bytes);
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const FieldPart& part = mine_.fields.at(arrays[i].field);
    auto runs = field_runs(step.fields[arrays[i].field], arrays[i].component, part, begins[i], order_);
    auto& all = placement.fields[arrays[i].field];
    all.insert(all.end(), std::make_move_iterator(runs.begin()), std::make_move_iterator(runs.end()));
  }
  return position;
}

Publication BinaryPlan::publish(std::uint64_t begin, std::span<const std::uint64_t> total) const {
  const std::uint64_t rows = row_count_for(header_, total[rows_slot], growth_rows_);
  const std::int32_t count = is_wide(rows) ? wide_count_marker : static_cast<std::int32_t>(rows);
  return {PublishWrite{begin, word(count, order_)}};
}

}  // namespace

std::optional<std::uint64_t> first_column(const PageSubject& page) {
  const StepDescription& step = page.mine->description;
  if (std::ranges::find(step.fields, Type::string, &Field::type) != step.fields.end()) return std::nullopt;
  std::uint64_t position = count_bytes + title_bytes(*page.header, *page.file, step).size();
  for (const FieldArray& array : field_arrays(step)) {
    const Field& field = step.fields[array.field];
    position = checked_add(position, dimension_bytes(field.extents, page.header->order()).size());
    position = checked_add(position, checked_multiply(elements_of(field), size_of(field.type)));
  }
  return position;
}

std::unique_ptr<PagePlan> plan_binary_page(const PageSubject& page) { return std::make_unique<BinaryPlan>(page); }

}  // namespace quire::sdds
