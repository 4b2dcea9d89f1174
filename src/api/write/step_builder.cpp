#include "api/write/step_builder.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

constexpr std::size_t usual_columns = 8;

Error wrong_rows(const std::string& column, std::uint64_t has, std::uint64_t wanted) {
  return Error(ErrorKind::usage, "the column has " + std::to_string(has) + " values where the table has " +
                                     std::to_string(wanted) + " rows")
      .on(column)
      .advise("all columns of a table have the same length on a rank");
}

/// Throws usage errors unless the views hold the selected elements.
void check_values(const Field& field, const FieldPart& part) {
  const MemorySelection& memory = part.memory;
  std::uint64_t values = part.selection.elements();
  if (!memory.is_packed()) {
    memory.selection.check(memory.extents);
    if (memory.selection.elements() != values) {
      throw Error(ErrorKind::usage, "the selection in memory has " + std::to_string(memory.selection.elements()) +
                                        " elements, that in the file " + std::to_string(values));
    }
    if (field.type == Type::string) throw Error(ErrorKind::unsupported, "strings must be packed in memory");
    values = volume(memory.extents);
  }
  for (const ConstView& view : part.views) {
    if (view.type != field.type) throw Error(ErrorKind::usage, "the components differ in their types");
    if (view.count != values) {
      throw Error(ErrorKind::usage, "a component has " + std::to_string(view.count) + " values where the " +
                                        (memory.is_packed() ? "selection" : "array in memory") + " has " +
                                        std::to_string(values));
    }
  }
}

}  // namespace

StepBuilder::StringBytes StepBuilder::StringBytes::of(const ConstView& values) {
  StringBytes strings;
  for (std::uint64_t i = 0; values.type == Type::string && i < values.count; ++i) {
    const std::uint64_t bytes = values.text(i).size();
    strings.sum += bytes;
    strings.longest = std::max(strings.longest, bytes);
  }
  return strings;
}

void StepBuilder::fail(Error error) {
  if (!error_) error_ = std::move(error);
}

void StepBuilder::set(Attribute attribute) {
  attribute.type = attribute.value.type();
  auto& attributes = part_.description.attributes;
  if (const auto same = attributes_.find(attributes, attribute.name)) {
    attributes[*same] = std::move(attribute);
  } else {
    attributes.push_back(std::move(attribute));
  }
}

void StepBuilder::table(std::string name, std::size_t columns) {
  auto& tables = part_.description.tables;
  const auto same = tables_.find(tables, name);
  table_ = same.value_or(tables.size());
  if (same) return;
  tables.push_back(Table{.name = std::move(name), .rows = 0, .columns = {}});
  // Capacity for the number of columns of most tables: growing from nothing costs more than the calls.
  const std::size_t room = columns == 0 ? usual_columns : columns;
  tables.back().columns.reserve(room);
  part_.tables.emplace_back().reserve(room);
  part_.string_bytes.emplace_back().reserve(room);
  part_.longest_strings.emplace_back().reserve(room);
  rows_known_.push_back(false);
  choices_.emplace_back();
  columns_.emplace_back();
}

Table& StepBuilder::current() {
  if (part_.description.tables.empty()) table({});
  return part_.description.tables[table_];
}

void StepBuilder::expansion(Expansion expansion) { current().expansion = std::move(expansion); }

void StepBuilder::rows(std::uint64_t count) {
  Table& table = current();
  if (rows_known_[table_] && table.rows != count) {
    fail(Error(ErrorKind::usage,
               "the table was given " + std::to_string(table.rows) + " and then " + std::to_string(count) + " rows")
             .on(table.name));
  }
  table.rows = count;
  rows_known_[table_] = true;
}

void StepBuilder::rows_at(const RowSelection& rows, std::optional<std::uint64_t> total) {
  const Table& table = current();
  if (rows_known_[table_]) {
    return fail(Error(ErrorKind::usage, "the rows of the table are known already")
                    .on(table.name)
                    .advise("call rows_at() once, before put() and instead of rows()"));
  }
  try {
    choices_[table_].emplace(rows, total);
    this->rows(rows.count());
  } catch (Error& error) {
    fail(error.on(table.name));
  }
}

void StepBuilder::put(Column column, const ConstView& values) {
  column.type = values.type;
  column.text_bytes = 0;
  if (Column* made = new_column(column.name, values, StringBytes::of(values), values.count)) *made = std::move(column);
}

void StepBuilder::put(std::string name, std::string unit, const ConstView& values) {
  Column* made = new_column(name, values, StringBytes::of(values), values.count);
  if (made == nullptr) return;
  made->name = std::move(name);
  made->type = values.type;
  made->unit = std::move(unit);
}

void StepBuilder::put_constant(Attribute constant) {
  constant.type = constant.value.type();
  Table& table = current();
  const auto is_named_alike = [&](const Attribute& other) { return other.name == constant.name; };
  if (columns_[table_].contains(table.columns, constant.name) || std::ranges::any_of(table.constants, is_named_alike)) {
    return fail(Error(ErrorKind::usage, "the column is put twice").on(constant.name));
  }
  if (!constant.value.is_scalar() || size_of(constant.type) == 0) {
    return fail(Error(ErrorKind::usage, "a constant column has one number").on(constant.name));
  }
  table.constants.push_back(std::move(constant));
}

void StepBuilder::spread_constants() {
  for (std::size_t t = 0; t < part_.tables.size(); ++t) {
    Table& table = part_.description.tables[t];
    const std::uint64_t rows = choices_[t] ? choices_[t]->walk().elements() : table.rows;
    for (Attribute& constant : table.constants) {
      if (streamed_) {
        throw Error(ErrorKind::unsupported, "a step in parts has no constant columns in this format")
            .on(constant.name)
            .advise("declare it as a column, and write its value in each row");
      }
      Column& column = table.columns.emplace_back();
      static_cast<Quantity&>(column) = constant;
      const Attribute& kept = spread_.emplace_back(std::move(constant));
      part_.tables[t].emplace_back(kept.type, kept.value.bytes().data(), rows, 0);
      part_.string_bytes[t].push_back(0);
    }
    table.constants.clear();
  }
}

void StepBuilder::declare(Column column, std::uint64_t string_bytes) {
  streamed_ = true;
  const ConstView nothing(column.type, nullptr, 0, 0);
  const StringBytes strings{string_bytes, std::exchange(column.text_bytes, 0)};
  if (Column* made = new_column(column.name, nothing, strings, current().rows)) *made = std::move(column);
}

Column* StepBuilder::new_column(const std::string& name, const ConstView& values, const StringBytes& strings,
                                std::uint64_t count) {
  Table& table = current();
  const auto is_constant = [&](const Attribute& constant) { return constant.name == name; };
  if (columns_[table_].contains(table.columns, name) || std::ranges::any_of(table.constants, is_constant)) {
    fail(Error(ErrorKind::usage, "the column is put twice").on(name));
    return nullptr;
  }
  if (!rows_known_[table_]) rows(count);
  if (table.rows != count) fail(wrong_rows(name, count, table.rows));
  part_.tables[table_].push_back(values);
  part_.string_bytes[table_].push_back(strings.sum);
  part_.longest_strings[table_].push_back(strings.longest);
  return &table.columns.emplace_back();
}

void StepBuilder::put_field(Field field, Selection selection, std::vector<ConstView> components,
                            MemorySelection memory) {
  if (!components.empty()) field.type = components.front().type;
  field.components = components.size();
  add_field(std::move(field), {std::move(selection), std::move(components), std::move(memory)});
}

void StepBuilder::declare_field(Field field, Box mine) {
  if (field.type == Type::string) {
    return fail(Error(ErrorKind::unsupported, "the size of texts is not known before: they cannot be put in parts")
                    .on(field.name)
                    .advise("put the field whole"));
  }
  const ConstView nothing(field.type, nullptr, 0, 0);
  std::vector<ConstView> views(static_cast<std::size_t>(field.components), nothing);
  add_field(std::move(field), {Selection(mine), std::move(views), {}, std::move(mine)});
}

void StepBuilder::add_field(Field field, FieldPart part) {
  if (fields_.contains(part_.description.fields, field.name)) {
    return fail(Error(ErrorKind::usage, "the field is put twice").on(field.name));
  }
  if (part.views.empty()) return fail(Error(ErrorKind::usage, "a field needs at least one component").on(field.name));
  try {
    check_geometry(field);
    part.selection.check(field.extents);
    if (!part.declared) check_values(field, part);
  } catch (Error& error) {
    return fail(error.on(field.name));
  }
  part_.description.fields.push_back(std::move(field));
  part_.fields.push_back(std::move(part));
}

StepPart& StepBuilder::finish() {
  // Rows alone do not make a table, and formats leave such a table out: the views must not count it either.
  for (std::size_t t = part_.tables.size(); t-- > 0;) {
    if (!part_.description.tables[t].columns.empty() || !part_.description.tables[t].constants.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(t);
    part_.description.tables.erase(part_.description.tables.begin() + at);
    part_.tables.erase(part_.tables.begin() + at);
    part_.string_bytes.erase(part_.string_bytes.begin() + at);
    part_.longest_strings.erase(part_.longest_strings.begin() + at);
    choices_.erase(choices_.begin() + at);
    columns_.erase(columns_.begin() + at);
    tables_.clear();
  }
  part_.chosen.assign(choices_.size(), std::nullopt);
  for (std::size_t t = 0; t < choices_.size(); ++t) {
    if (!choices_[t]) continue;
    part_.chosen[t].emplace(choices_[t]->walk());
    part_.description.tables[t].rows = 0;
  }
  return part_;
}

namespace {

std::uint64_t hash_of(Packer& packer) {
  const auto bytes = packer.take();
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace

std::uint64_t StepBuilder::structure_hash(const FileDescription& file) const {
  const StepDescription& step = part_.description;
  Packer packer;
  packer(file.title, file.contents, file.attributes, file.declared, step.number, step.attributes);
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const Table& table = step.tables[t];
    packer(table.name, table.columns, table.constants, table.expansion, part_.rows_chosen_of(t) != nullptr);
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) packer(step.fields[f], part_.fields[f].declared.has_value());
  packer(spread());
  return hash_of(packer);
}

std::uint64_t description_hash(const FileDescription& file) {
  Packer packer;
  packer(file.title, file.contents, file.attributes, file.declared);
  return hash_of(packer);
}

}  // namespace quire
