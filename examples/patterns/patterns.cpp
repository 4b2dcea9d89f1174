#include "patterns.hpp"

#include <algorithm>

#include "quire/format/format.hpp"
#include "quire/model/selection.hpp"

namespace patterns {
namespace {

/// How many of `all` places a rank has that begins at `first` and takes every `step`-th.
std::uint64_t every(std::uint64_t all, std::uint64_t first, std::uint64_t step) {
  return first < all ? (all - first - 1) / step + 1 : 0;
}

struct Place {
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  std::uint64_t rows = 1;
  std::uint64_t columns = 1;
};

/// The position of a rank in a grid of all ranks.
Place place_of(int rank, int ranks) {
  const auto [rows, columns] = grid_of(ranks);
  const auto number = static_cast<std::uint64_t>(rank);
  return {.row = number / columns, .column = number % columns, .rows = rows, .columns = columns};
}

/// Those of some options that a table has.
quire::Options known(const std::vector<quire::Option>& table, const quire::Options& options) {
  quire::Options found;
  for (const auto& [name, value] : options) {
    if (std::ranges::find(table, name, &quire::Option::name) != table.end()) found.emplace(name, value);
  }
  return found;
}

const quire::Format* format_of(const Start& start) {
  const std::string& name = start.options.format;
  return name.empty() ? quire::format_for_suffix(start.output) : &quire::format_named(name);
}

}  // namespace

quire::Selection by_rows(int rank, int ranks) {
  const quire::Slice rows = quire::even_slice(extents[0], rank, ranks);
  return quire::Box{.start = {rows.first, 0}, .count = {rows.count, extents[1]}};
}

quire::Selection by_columns(int rank, int ranks) {
  const auto first = static_cast<std::uint64_t>(rank);
  const auto step = static_cast<std::uint64_t>(ranks);
  const std::uint64_t columns = every(extents[1], first, step);
  if (columns == 0) return {};
  return quire::Hyperslab{.start = {0, first}, .stride = {1, step}, .count = {extents[0], columns}, .block = {}};
}

quire::Selection by_pattern(int rank, int ranks) {
  const Place place = place_of(rank, ranks);
  return quire::Hyperslab{
      .start = {place.row, place.column},
      .stride = {place.rows, place.columns},
      .count = {every(extents[0], place.row, place.rows), every(extents[1], place.column, place.columns)},
      .block = {}};
}

quire::Selection by_chunks(int rank, int ranks) {
  const Place place = place_of(rank, ranks);
  const auto part = [](std::size_t axis, std::uint64_t index, std::uint64_t parts) {
    const std::uint64_t side = chunk[axis];
    const auto chunks = quire::even_slice(extents[axis] / side, static_cast<int>(index), static_cast<int>(parts));
    return quire::Slice{chunks.first * side, chunks.count * side};
  };
  const quire::Slice rows = part(0, place.row, place.rows);
  const quire::Slice columns = part(1, place.column, place.columns);
  return quire::Box{.start = {rows.first, columns.first}, .count = {rows.count, columns.count}};
}

const std::vector<Pattern>& all() {
  static const std::vector<Pattern> patterns{
      {"by_rows", "neighbouring rows for each rank", by_rows},
      {"by_columns", "every so many-th column for each rank", by_columns},
      {"by_pattern", "every so many-th element of rows and columns", by_pattern},
      {"by_chunks", "a block of chunks for each rank", by_chunks, {{"field_chunk", "3x4"}}}};
  return patterns;
}

std::pair<std::uint64_t, std::uint64_t> grid_of(int ranks) {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= ranks; ++divisor) {
    if (ranks % divisor == 0) rows = divisor;
  }
  return {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(ranks / rows)};
}

double value_at(std::uint64_t element) {
  return static_cast<double>(element / extents[1]) + 0.01 * static_cast<double>(element % extents[1]);
}

std::vector<double> values_of(const quire::Selection& selection) {
  std::vector<double> values;
  quire::SelectionWalk walk(extents, selection);
  while (const auto line = walk.next()) {
    for (std::uint64_t i = 0; i < line->count; ++i) values.push_back(value_at(line->first + i * line->step));
  }
  return values;
}

quire::WriteOptions options_of(const Pattern& pattern, const Start& start) {
  quire::WriteOptions options = start.options;
  const quire::Format* format = format_of(start);
  if (format != nullptr) options.options.merge(known(format->write_options, pattern.options));
  return options;
}

quire::ReadOptions reading(const Start& start) {
  quire::ReadOptions options;
  options.transport = start.options.transport;
  const quire::Format* format = format_of(start);
  if (format != nullptr) options.options = known(format->read_options, start.options.options);
  return options;
}

bool write_and_read(const Pattern& pattern, const quire::Comm& comm, const Start& start) {
  const quire::Selection mine = pattern.mine(comm.rank(), comm.size());
  const std::vector<double> values = values_of(mine);

  quire::Writer out = quire::create(start.output, comm, start.options);
  quire::WriteStep step = out.step(0);
  quire::Field array;
  array.name = "array";
  array.extents = extents;
  step.put_field(array, mine, {values});
  step.commit();
  out.close();

  quire::Reader in = quire::open(start.output, comm, reading(start));
  // The file may hold it with axes of one element in front: the last two are ours.
  const quire::ReadStep first = in.at(0);
  const std::size_t more = first.description().fields.at(0).extents.size() - extents.size();
  std::vector<quire::Hyperslab> parts = mine.parts();
  for (quire::Hyperslab& part : parts) {
    part.start.insert(part.start.begin(), more, 0);
    part.count.insert(part.count.begin(), more, 1);
    if (!part.stride.empty()) part.stride.insert(part.stride.begin(), more, 1);
    if (!part.block.empty()) part.block.insert(part.block.begin(), more, 1);
  }
  std::vector<double> found(values.size());
  first.read_field_all("array", quire::Selection(parts), {found});
  in.close();

  quire::Comm everyone = comm;
  std::uint64_t wrong = found == values ? 0 : 1;
  everyone.sum(std::span(&wrong, 1));
  return wrong == 0;
}

}  // namespace patterns
