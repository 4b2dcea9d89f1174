#include "support/sample.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

#include "format/registration.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/model/dispatch.hpp"
#include "support/raw_format.hpp"

namespace quire::test {
namespace {

constexpr std::array types{Type::int8,    Type::uint8,     Type::int16,  Type::uint16,  Type::int32,
                           Type::uint32,  Type::int64,     Type::uint64, Type::float32, Type::float64,
                           Type::float80, Type::character, Type::string};

constexpr std::array<std::uint64_t, 2> layer_extents{2, 3};

/// Small enough for every type, different in every step, column and row.
std::uint64_t seed(Type type, std::int64_t number, std::uint64_t row) {
  return (static_cast<std::uint64_t>(type) * 13 + static_cast<std::uint64_t>(number) * 7 + row * 3) % 127;
}

std::vector<std::byte> numbers(Type type, std::int64_t number, const Slice& rows) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows.count) * size_of(type));
  visit_type(type, [&](auto identity) {
    using Number = typename decltype(identity)::type;
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      auto value = static_cast<Number>(seed(type, number, rows.first + i));
      if constexpr (std::is_floating_point_v<Number>) value = -value / 8 + static_cast<Number>(number);
      // The padding of an 80-bit number is not part of its value: it stays zero.
      std::memcpy(bytes.data() + i * sizeof(Number), &value, type == Type::float80 ? 10 : sizeof(Number));
    }
  });
  return bytes;
}

std::vector<std::string> texts(std::int64_t number, const Slice& rows) {
  std::vector<std::string> result;
  for (std::uint64_t row = rows.first; row < rows.end(); ++row) {
    const std::uint64_t length = seed(Type::string, number, row) % 6;
    std::string text(static_cast<std::size_t>(length), 'a');
    if (length != 0) text += std::to_string(row);
    result.push_back(std::move(text));
  }
  return result;
}

std::string label(std::int64_t number) { return "step " + std::to_string(number); }

/// The difference between the values of a column that was read and those that were put.
std::string column_difference(const View& found, std::int64_t number, const Slice& mine) {
  if (found.type == Type::string) {
    const auto wanted = texts(number, mine);
    if (found.strings->size() != wanted.size()) return "a different number of strings";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if ((*found.strings)[i] != wanted[i]) return "row " + std::to_string(mine.first + i);
    }
    return {};
  }
  const auto wanted = numbers(found.type, number, mine);
  const std::size_t size = size_of(found.type);
  const std::size_t significant = found.type == Type::float80 ? 10 : size;
  for (std::size_t i = 0; i < mine.count; ++i) {
    if (std::memcmp(found.data + i * size, wanted.data() + i * size, significant) != 0) {
      return "row " + std::to_string(mine.first + i);
    }
  }
  return {};
}

StepDescription everything(std::uint64_t rows, bool with_strings) {
  StepDescription step;
  Table table;
  table.rows = rows;
  for (const Type type : types) {
    if (type == Type::string && !with_strings) continue;
    Column column;
    column.name = "c_" + std::string(name(type));
    column.type = type;
    column.unit = "m";
    table.columns.push_back(column);
  }
  step.tables.push_back(table);
  for (const Type type : {Type::float64, Type::int32}) {
    Field field;
    field.name = "f_" + std::string(name(type));
    field.type = type;
    field.unit = "V";
    field.extents = {rows, layer_extents[0], layer_extents[1]};
    field.geometry.origin = {-1.5, 0.25, 3};
    field.geometry.spacing = {0.5, 1, 1e-3};
    step.fields.push_back(field);
  }
  return step;
}

/// The elements of a field in the layers of these rows, numbered consecutively.
Slice elements_in(const Slice& layers) {
  constexpr std::uint64_t per_layer = layer_extents[0] * layer_extents[1];
  return {layers.first * per_layer, layers.count * per_layer};
}

Box box_of(const Slice& layers) { return {{layers.first, 0, 0}, {layers.count, layer_extents[0], layer_extents[1]}}; }

/// Whether every kind of file of a format holds strings.
bool holds_strings(const Format& format) {
  const StepDescription full = everything(1, true);
  return std::ranges::all_of(format.writing_variants, [&](const Options& options) {
    const Fit fit = format.fit({}, full, CheckedOptions(format.write_options, options));
    const auto& columns = fit.adapted.tables.front().columns;
    return std::ranges::find(columns, Type::string, &Column::type) != columns.end();
  });
}

}  // namespace

Sample::Sample(const Format& format, std::uint64_t rows, bool with_strings) : rows_(rows) {
  const StepDescription full = everything(rows, with_strings && holds_strings(format));
  const Fit fit = format.fit_with_presets({}, full);
  for (const Column& column : full.tables.front().columns) {
    const auto& held = fit.adapted.tables.front().columns;
    const auto found = std::ranges::find(held, column.name, &Column::name);
    if (found != held.end() && converts_without_loss(column.type, found->type)) columns_.push_back(column);
  }
  for (const Field& field : full.fields) {
    const auto found = std::ranges::find(fit.adapted.fields, field.name, &Field::name);
    if (found == fit.adapted.fields.end() || found->type != field.type) continue;
    fields_.push_back(field);
    fields_.back().geometry = found->geometry;
  }
}

void Sample::set_attributes(std::int64_t number, std::vector<Attribute>& attributes) const {
  const auto add = [&](const std::string& name, Value value, const std::string& unit) {
    Attribute attribute;
    attribute.name = name;
    attribute.unit = unit;
    attribute.type = value.type();
    attribute.value = std::move(value);
    attributes.push_back(std::move(attribute));
  };
  add("s", Value(0.5 * static_cast<double>(number)), "m");
  add("turn", Value(static_cast<std::int32_t>(number)), "");
  add("label", Value(label(number)), "");
}

ConstView Sample::column(const Column& column, std::int64_t number, const Slice& mine) {
  if (column.type == Type::string) {
    return std::span<const std::string>(texts_.emplace_back(texts(number, mine)));
  }
  const auto& bytes = numbers_.emplace_back(numbers(column.type, number, mine));
  return {column.type, bytes.data(), mine.count, static_cast<std::ptrdiff_t>(size_of(column.type))};
}

void Sample::fill(WriteStep& step, std::int64_t number, const Slice& mine) {
  std::vector<Attribute> attributes;
  set_attributes(number, attributes);
  for (Attribute& attribute : attributes) step.set(std::move(attribute));
  step.table().rows(mine.count);
  for (const Column& column : columns_) step.put(column, this->column(column, number, mine));
  put_fields(step, number, mine);
}

void Sample::declare(WriteStep& step, const StepPart& part) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column column = columns_[c];
    column.text_bytes = part.longest_strings[0][c];
    step.declare(std::move(column), part.string_bytes[0][c]);
  }
}

FieldPart Sample::field_part(const Field& field, std::int64_t number, const Slice& mine) {
  const Slice elements = elements_in(mine);
  const auto& bytes = numbers_.emplace_back(numbers(field.type, number, elements));
  const auto stride = static_cast<std::ptrdiff_t>(size_of(field.type));
  return {box_of(mine), {ConstView(field.type, bytes.data(), elements.count, stride)}, {}};
}

void Sample::put_fields(WriteStep& step, std::int64_t number, const Slice& mine) {
  for (const Field& field : fields_) {
    FieldPart part = field_part(field, number, mine);
    step.put_field(field, std::move(part.selection), std::move(part.views));
  }
}

StepPart Sample::part(std::int64_t number, const Slice& mine) {
  StepPart part;
  part.description.number = number;
  set_attributes(number, part.description.attributes);
  Table table;
  table.rows = mine.count;
  table.columns = columns_;
  std::vector<ConstView> views;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint64_t> longest;
  for (const Column& column : columns_) {
    const ConstView view = this->column(column, number, mine);
    views.push_back(view);
    std::uint64_t& length = bytes.emplace_back(0);
    std::uint64_t& greatest = longest.emplace_back(0);
    for (std::uint64_t i = 0; column.type == Type::string && i < mine.count; ++i) {
      length += view.text(i).size();
      greatest = std::max<std::uint64_t>(greatest, view.text(i).size());
    }
  }
  part.description.tables.push_back(std::move(table));
  part.tables.push_back(std::move(views));
  part.string_bytes.push_back(std::move(bytes));
  part.longest_strings.push_back(std::move(longest));
  part.description.fields = fields_;
  for (const Field& field : fields_) part.fields.push_back(field_part(field, number, mine));
  return part;
}

void Sample::forget() {
  numbers_.clear();
  texts_.clear();
}

std::string Sample::difference(const ReadStep& step, const Slice& mine) {
  const std::int64_t number = step.number();
  const Table& table = step.description().tables.at(0);
  if (table.rows != rows_) return "the table has " + std::to_string(table.rows) + " rows";
  if (step.attribute("s").value.as_double() != 0.5 * static_cast<double>(number)) return "attribute s";
  if (step.attribute("turn").value.as_integer() != number) return "attribute turn";
  if (step.attribute("label").value.as_text() != label(number)) return "attribute label";
  // All columns in one read, as a program does it: one pass over the file.
  std::vector<std::vector<std::byte>> memory;
  std::deque<PackedStrings> strings;
  std::vector<ReadColumn> columns;
  for (const Column& column : columns_) {
    const std::size_t size = size_of(column.type);
    memory.emplace_back(static_cast<std::size_t>(mine.count) * size);
    const View view = column.type == Type::string
                          ? View(strings.emplace_back(), mine.count)
                          : View(column.type, memory.back().data(), mine.count, static_cast<std::ptrdiff_t>(size));
    columns.push_back({column.name, view});
  }
  step.read_all({}, mine, columns);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string different = column_difference(columns[c].out, number, mine);
    if (!different.empty()) return columns_[c].name + ": " + different;
  }
  for (const Field& field : fields_) {
    const std::string different = field_difference(step, field, mine);
    if (!different.empty()) return field.name + ": " + different;
  }
  return {};
}

std::string Sample::field_difference(const ReadStep& step, const Field& field, const Slice& mine) const {
  const Field& found = step.description().fields.at(step.description().find_field(field.name));
  if (found.extents != field.extents || found.geometry != field.geometry) return "extents or geometry";
  if (found.unit != field.unit) return "unit";
  const Slice elements = elements_in(mine);
  const std::size_t size = size_of(field.type);
  std::vector<std::byte> memory(static_cast<std::size_t>(elements.count) * size);
  const View view(field.type, memory.data(), elements.count, static_cast<std::ptrdiff_t>(size));
  step.read_field_all(field.name, box_of(mine), {view});
  // The bytes are those of a column with one row per element.
  return memory == numbers(field.type, step.number(), elements) ? "" : "its values";
}

std::string Variant::name() const {
  return std::string(format->name) + (index == 0 ? "" : "_" + std::to_string(index));
}

WriteOptions Variant::write_options() const {
  WriteOptions result;
  result.format = format->name;
  result.options = options;
  return result;
}

WriteOptions Variant::new_file_options() const {
  WriteOptions result = write_options();
  result.options.emplace("replacement", "direct");
  return result;
}

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name();
  for (const auto& [name, value] : variant.options) *out << ' ' << name << '=' << value;
}

std::vector<const Format*> formats_of_tables() {
  register_format(raw_format());
  std::vector<const Format*> all = formats();
  std::erase_if(all, [](const Format* format) { return !format->holds_tables; });
  return all;
}

std::vector<const Format*> formats_of_streams() {
  std::vector<const Format*> all = formats();
  std::erase_if(all, [](const Format* format) { return !format->holds_streams; });
  return all;
}

std::vector<Variant> variants_of(const std::vector<const Format*>& formats) {
  std::vector<Variant> all;
  for (const Format* format : formats) {
    std::size_t index = 0;
    for (const Options& options : format->writing_variants) all.push_back({format, options, index++});
  }
  return all;
}

std::vector<Variant> variants() { return variants_of(formats_of_tables()); }

std::vector<Variant> variants_of_streams() { return variants_of(formats_of_streams()); }

std::vector<const Format*> formats_of_steps() {
  std::vector<const Format*> all = formats_of_tables();
  std::erase_if(all, [](const Format* format) { return format->holds_one_step; });
  return all;
}

std::vector<Variant> variants_of_steps() {
  std::vector<Variant> all = variants();
  std::erase_if(all, [](const Variant& variant) { return variant.format->holds_one_step; });
  return all;
}

std::int64_t possible_steps(const Format& format, std::int64_t wanted) {
  return format.holds_one_step ? std::min<std::int64_t>(wanted, 1) : wanted;
}

std::string name(Spread spread) {
  switch (spread) {
    case Spread::even:
      return "even";
    case Spread::first_has_nothing:
      return "first_has_nothing";
    case Spread::last_has_nothing:
      return "last_has_nothing";
    case Spread::all_ranks_are_empty:
      return "all_ranks_are_empty";
    case Spread::last_has_everything:
      return "last_has_everything";
  }
  return "unknown";
}

Slice slice(Spread spread, std::uint64_t rows, int rank, int size) {
  switch (spread) {
    case Spread::even:
      return even_slice(rows, rank, size);
    case Spread::first_has_nothing:
      return slice_without_root(rows, rank, size);
    case Spread::last_has_nothing:
      if (size == 1) return {0, rows};
      return rank == size - 1 ? Slice{rows, 0} : even_slice(rows, rank, size - 1);
    case Spread::all_ranks_are_empty:
      return {0, 0};
    case Spread::last_has_everything:
      return rank == size - 1 ? Slice{0, rows} : Slice{0, 0};
  }
  return {};
}

Slice slice(Spread spread, std::uint64_t rows, const Comm& comm) {
  return slice(spread, rows, comm.rank(), comm.size());
}

}  // namespace quire::test
