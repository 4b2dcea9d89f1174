#include "support/step_content.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "quire/model/selection.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire::test {
namespace {

/// The number of values of a step, or a number above `most`.
std::uint64_t count_values(const StepDescription& step, std::uint64_t most) {
  std::uint64_t values = step.streams;
  const auto add = [&](std::uint64_t count, std::uint64_t times) {
    if (values <= most) values = times == 0 || count <= most / times ? values + count * times : most + 1;
  };
  for (const Table& table : step.tables) add(table.rows, table.columns.size());
  for (const Field& field : step.fields) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : field.extents) elements = extent <= most ? elements * extent : most + 1;
    add(std::min(elements, most + 1) + 1, field.components);
  }
  return values;
}

/// The index among the adapted items of a given one. Formats keep the order when they rename, and the names when they
/// omit.
template <class Item>
std::optional<std::size_t> place_of(const std::vector<Item>& given, std::size_t place,
                                    const std::vector<Item>& adapted) {
  if (given.size() == adapted.size()) return place;
  const auto found = std::ranges::find(adapted, given[place].name, &Item::name);
  return found == adapted.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - adapted.begin()));
}

std::uint64_t bytes_in(const ConstView& view) {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; view.type == Type::string && i < view.count; ++i) bytes += view.text(i).size();
  return bytes;
}

struct AdaptedTable {
  std::string name;
  std::uint64_t rows = 0;
  std::vector<ConstView> columns{};

  [[nodiscard]] std::vector<ConstView> part(std::uint64_t first, std::uint64_t count) const {
    std::vector<ConstView> views;
    for (const ConstView& column : columns) views.push_back(column.part(first, count));
    return views;
  }
};

/// Calls `take(table, first, columns)` for the rows in two blocks.
template <class Take>
void for_blocks(const std::vector<AdaptedTable>& tables, Take&& take) {
  for (const AdaptedTable& table : tables) {
    if (table.columns.empty()) continue;
    const std::uint64_t half = table.rows / 2;
    take(table.name, 0, table.part(0, half));
    take(table.name, half, table.part(half, table.rows - half));
  }
}

}  // namespace

View StepContent::room(Type type, std::uint64_t count) {
  auto& numbers = numbers_.emplace_back(static_cast<std::size_t>(count * size_of(type)));
  auto& strings = strings_.emplace_back();
  if (type == Type::string) return {strings, count};
  return {type, numbers.data(), count, static_cast<std::ptrdiff_t>(size_of(type))};
}

ConstView StepContent::view(std::size_t object, Type type) const {
  if (type == Type::string) return {strings_[object]};
  const auto& numbers = numbers_[object];
  return {type, numbers.data(), numbers.size() / size_of(type), static_cast<std::ptrdiff_t>(size_of(type))};
}

std::optional<StepContent> StepContent::of(const ReadStep& step, std::uint64_t most_values) {
  StepContent content;
  content.description_ = step.description();
  if (count_values(content.description_, most_values) > most_values) return std::nullopt;
  content.read_tables(step);
  content.read_fields(step);
  content.read_streams(step);
  return content;
}

void StepContent::read_tables(const ReadStep& step) {
  for (const Table& table : description_.tables) {
    std::vector<ReadColumn> columns;
    for (const Column& column : table.columns) columns.push_back({column.name, room(column.type, table.rows)});
    if (!columns.empty()) step.read(table.name, Slice{0, table.rows}, std::move(columns));
  }
}

void StepContent::read_fields(const ReadStep& step) {
  for (const Field& field : description_.fields) {
    std::vector<View> components;
    for (std::uint64_t i = 0; i < field.components; ++i) components.push_back(room(field.type, volume(field.extents)));
    step.read_field(field.name, whole(field.extents), std::move(components));
  }
}

void StepContent::read_streams(const ReadStep& step) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(description_.streams));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  for (StreamReader& stream : step.streams(all, StreamsBy::index)) {
    constexpr std::uint64_t most = 1 << 16;
    Stream& copy = streams_.emplace_back();
    copy.options = {.rank = stream.rank(), .chunk_bytes = stream.layout().chunk_bytes % most};
    copy.bytes.resize(static_cast<std::size_t>(std::min(stream.size(), most)));
    static_cast<void>(stream.read(copy.bytes));
    if (stream.layout().records && copy.bytes.size() == stream.size()) copy.records = stream.records();
  }
}

bool StepContent::is_empty() const {
  const auto has_rows = [](const Table& table) { return table.rows != 0; };
  return description_.attributes.empty() && description_.fields.empty() && streams_.empty() &&
         std::ranges::none_of(description_.tables, has_rows);
}

bool StepContent::operator==(const StepContent& other) const {
  // The description may differ in how the file is tolerated.
  StepDescription mine = description_;
  mine.warnings = other.description_.warnings;
  const auto same_strings = [](const PackedStrings& a, const PackedStrings& b) {
    return a.offsets == b.offsets && a.bytes == b.bytes;
  };
  const auto same_streams = [](const Stream& a, const Stream& b) {
    return a.options.rank == b.options.rank && a.bytes == b.bytes;
  };
  return pack(mine) == pack(other.description_) && numbers_ == other.numbers_ &&
         std::ranges::equal(strings_, other.strings_, same_strings) &&
         std::ranges::equal(streams_, other.streams_, same_streams);
}

void StepContent::put(WriteStep& step, const StepDescription& adapted, bool in_blocks) const {
  const auto& given = description_;
  for (std::size_t i = 0; i < given.attributes.size(); ++i) {
    const auto place = place_of(given.attributes, i, adapted.attributes);
    if (place) step.set(adapted.attributes[*place]);
  }
  std::size_t object = 0;
  std::vector<AdaptedTable> tables;
  for (std::size_t i = 0; i < given.tables.size(); ++i) {
    const auto place = place_of(given.tables, i, adapted.tables);
    const Table* table = place ? &adapted.tables[*place] : nullptr;
    if (table != nullptr) {
      tables.push_back({table->name, given.tables[i].rows});
      step.table(table->name).rows(given.tables[i].rows);
      if (table->expansion) step.expansion(*table->expansion);
    }
    for (std::size_t c = 0; c < given.tables[i].columns.size(); ++c, ++object) {
      if (table == nullptr) continue;
      const auto column = place_of(given.tables[i].columns, c, table->columns);
      if (!column) continue;
      const ConstView values = view(object, given.tables[i].columns[c].type);
      tables.back().columns.push_back(values);
      if (in_blocks) {
        step.declare(table->columns[*column], bytes_in(values));
      } else {
        step.put(table->columns[*column], values);
      }
    }
  }
  for (std::size_t i = 0; i < given.fields.size(); ++i) {
    std::vector<ConstView> components;
    for (std::uint64_t k = 0; k < given.fields[i].components; ++k, ++object) {
      components.push_back(view(object, given.fields[i].type));
    }
    const auto place = place_of(given.fields, i, adapted.fields);
    if (place) step.put_field(adapted.fields[*place], whole(given.fields[i].extents), std::move(components));
  }
  for (const Stream& stream : streams_) {
    StreamWriter writer = step.stream(stream.options);
    if (stream.records.empty()) writer.write(stream.bytes);
    for (const StreamRecord& record : stream.records) {
      writer.write_record(record.key, std::span(stream.bytes).subspan(record.offset, record.bytes));
    }
  }
  if (!in_blocks) return;
  step.agree_on_rows();
  for_blocks(tables, [&](const std::string& table, std::uint64_t, const std::vector<ConstView>& columns) {
    step.weigh(table, columns);
  });
  step.open();
  for_blocks(tables, [&](const std::string& table, std::uint64_t first, const std::vector<ConstView>& columns) {
    step.write(table, first, columns);
  });
}

}  // namespace quire::test
