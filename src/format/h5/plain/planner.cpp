#include "format/h5/plain/planner.hpp"

#include <algorithm>
#include <utility>

#include "format/h5/phdf5/layouts.hpp"
#include "format/h5/structure.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/format/records.hpp"

namespace quire::h5 {
namespace {

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a plain HDF5 file is one step")
      .advise("write each step to a file of its own, or choose a format of steps");
}

}  // namespace

PlainRules PlainPlanner::rules_of(const CheckedOptions& options) {
  PlainRules rules;
  if (options.text("layout") == "matrix") rules.layout = TableLayout::matrix;
  rules.unnamed = options.text("dataset");
  if (rules.layout == TableLayout::columns && options.given("dataset")) {
    throw Error(ErrorKind::usage, "only a matrix has one data set to be named").on("dataset").advise("layout=matrix");
  }
  return rules;
}

PlainPlanner::PlainPlanner(const CheckedOptions& options)
    : rules_(rules_of(options)),
      engine_(EngineSettings::of(options, {"chunk", "field_chunk", "filter", "level", "shuffle"})),
      alignment_(engine_.alignment),
      chunking_(options),
      writer_(engine_.version) {
  if (rules_.layout == TableLayout::matrix && chunking_.rows() != 0) {
    throw Error(ErrorKind::usage, "the matrix of a table is written in one piece")
        .on("layout")
        .advise("put it as a field to have it in chunks, or choose layout=columns");
  }
}

Publication PlainPlanner::resume(std::shared_ptr<ByteSource> /*existing*/, std::optional<std::int64_t> /*after*/,
                                 bool /*drop*/) {
  throw one_step_only();
}

std::vector<std::byte> PlainPlanner::state() const { return pack(writer_.published_end()); }

void PlainPlanner::adopt(std::span<const std::byte> state) { writer_.set_published_end(unpack<std::uint64_t>(state)); }

StepDescription PlainPlanner::accept(const StepDescription& step, bool lossy) const {
  if (is_written_) throw one_step_only();
  return accept_plain(step, rules_, file_attributes_, lossy);
}

// ---- Chunks

Grouping PlainPlanner::grouping(const StepDescription& /*step*/, std::size_t /*table*/) const {
  return {.rows = chunking_.is_filtered() ? chunking_.rows() : 0, .open_rows = 0};
}

PackedGroup PlainPlanner::pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                     std::span<const std::byte> values) const {
  const Type type = step.tables[table].columns[column].type;
  PackedGroup group;
  group.bytes = coder_.encode(chunking_.pipeline(type), values, checked_multiply(chunking_.rows(), size_of(type)));
  group.length = group.bytes.size();
  return group;
}

std::vector<std::uint64_t> PlainPlanner::chunk_shape(const StepDescription& step, std::size_t field) const {
  return chunking_.field_shape(step.fields[field]);
}

PackedGroup PlainPlanner::pack_chunk(const StepDescription& step, std::size_t field,
                                     std::span<const std::byte> values) const {
  PackedGroup chunk;
  chunk.bytes = coder_.encode(chunking_.pipeline(step.fields[field].type), values, values.size());
  chunk.length = chunk.bytes.size();
  return chunk;
}

// ---- Places

Measure PlainPlanner::measure(const StepPart& mine, bool /*root*/) const {
  const StepDescription& step = mine.description;
  Measure measure;
  for (const Table& table : step.tables) measure.push_back(table.rows);
  add_field_slots(measure, mine);
  for (std::size_t t = 0; chunking_.is_filtered() && t < step.tables.size(); ++t) {
    for (std::size_t c = 0; c < step.tables[t].columns.size(); ++c) measure.push_back(group_bytes(mine, t, c));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    if (!chunk_shape(step, f).empty()) append_chunk_bytes(measure, mine, f);
  }
  return measure;
}

PlainPlanner::RawLayout PlainPlanner::lay_out(const StepDescription& step, const Measure& total) const {
  const bool is_matrix = rules_.layout == TableLayout::matrix;
  RawLayout layout{.spaces = {}, .components = {}, .end = writer_.published_end()};
  std::uint64_t next = round_up(writer_.first_free(), alignment_.multiple);
  const auto add = [&](std::uint64_t length) {
    next = alignment_.next(next, length);
    layout.spaces.push_back({next, length});
    next = checked_add(next, length);
    if (length > 0) layout.end = next;
  };
  std::size_t slot = step.tables.size() + step.fields.size();
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    std::uint64_t row_bytes = 0;
    for (const Column& column : step.tables[t].columns) {
      row_bytes += size_of(column.type);
      if (is_matrix) continue;
      const std::uint64_t rows = chunking_.stored_rows(total[t]);
      add(chunking_.is_filtered() ? total[slot++] : checked_multiply(rows, size_of(column.type)));
    }
    if (is_matrix) add(checked_multiply(total[t], row_bytes));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const bool is_chunked = !chunk_shape(step, f).empty();
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(field.components),
                                       checked_multiply(volume(field.extents), size_of(field.type)));
    std::uint64_t sum = 0;
    for (std::uint64_t& length : lengths) {
      if (is_chunked) length = total[slot++];
      sum = checked_add(sum, length);
    }
    add(sum);
    auto& components = layout.components.emplace_back();
    std::uint64_t offset = layout.spaces.back().offset;
    for (const std::uint64_t length : lengths) {
      components.push_back({offset, length});
      offset += length;
    }
  }
  return layout;
}

std::vector<Run> PlainPlanner::runs_of(const StepPart& mine, std::size_t table, const PlannedSpace* spaces,
                                       std::uint64_t before) const {
  const Table& described = mine.description.tables[table];
  const bool is_matrix = rules_.layout == TableLayout::matrix;
  std::vector<Run> runs(is_matrix ? 1 : described.columns.size());
  for (std::size_t c = 0; c < described.columns.size(); ++c) {
    Run& run = runs[is_matrix ? 0 : c];
    run.cells.push_back({.column = c, .type = described.columns[c].type});
    run.record_bytes += size_of(described.columns[c].type);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Run& run = runs[r];
    run.records = described.rows;
    run.bytes = checked_multiply(run.records, run.record_bytes);
    run.offset = spaces[r].offset + before * run.record_bytes;
  }
  return runs;
}

Placement PlainPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const StepDescription& step = mine.description;
  const RawLayout layout = lay_out(step, total);
  const Measure own = measure(mine, false);
  Placement placement;
  placement.end = layout.end;
  std::size_t next = 0;
  std::size_t slot = step.tables.size() + step.fields.size();
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    std::vector<Run>& runs = placement.tables.emplace_back(runs_of(mine, t, layout.spaces.data() + next, before[t]));
    for (std::size_t c = 0; chunking_.is_filtered() && c < runs.size(); ++c, ++slot) {
      runs[c].opaque = true;
      runs[c].offset = layout.spaces[next + c].offset + before[slot];
      runs[c].bytes = own[slot];
    }
    next += runs.size();
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const std::uint64_t covered = total[step.tables.size() + f];
    if (covered > volume(field.extents)) {
      throw Error(ErrorKind::usage, "the boxes of all ranks hold " + std::to_string(covered) + " elements, the field " +
                                        std::to_string(volume(field.extents)))
          .on(field.name);
    }
    auto& runs = placement.fields.emplace_back();
    for (std::size_t c = 0; c < layout.components[f].size(); ++c) {
      Run& run = runs.emplace_back();
      run.record_bytes = size_of(field.type);
      run.offset = layout.components[f][c].offset;
      run.bytes = layout.components[f][c].length;
      run.records = volume(field.extents);
      run.opaque = !chunk_shape(step, f).empty();
      run.cells = {Cell{.column = c, .type = field.type}};
    }
  }
  return placement;
}

// ---- Publication

std::vector<PlannedSpace> PlainPlanner::planned(const StepPart& root, const RawLayout& layout,
                                                const Measure& total) const {
  const StepDescription& step = root.description;
  std::vector<PlannedSpace> spaces;
  std::size_t next = 0;
  const bool are_lines = rules_.layout == TableLayout::columns;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    for (std::size_t c = 0; c < (are_lines ? step.tables[t].columns.size() : 1); ++c, ++next) {
      if (chunking_.rows() == 0) {
        spaces.push_back(layout.spaces[next]);
        continue;
      }
      std::uint64_t offset = layout.spaces[next].offset;
      for (const std::uint64_t length : column_chunks(chunking_, root, t, c, chunking_.is_filtered(), total[t])) {
        spaces.push_back({offset, length});
        offset += length;
      }
    }
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f, ++next) {
    if (chunk_shape(step, f).empty()) spaces.push_back(layout.spaces[next]);
    if (chunk_shape(step, f).empty() || root.all_chunks.empty()) continue;
    for (std::size_t c = 0; c < root.all_chunks[f].size(); ++c) {
      for (const PackedChunk& chunk : root.all_chunks[f][c]) {
        spaces.push_back({layout.components[f][c].offset + chunk.place, chunk.length});
      }
    }
  }
  return spaces;
}

void PlainPlanner::write_chunks(hid_t dataset, const StepPart& root, std::size_t index, const Measure& total) {
  const StepDescription& step = root.description;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const std::size_t columns = step.tables[t].columns.size();
    if (index < columns) {
      return index_chunks(dataset, writer_.image(), chunking_.rows(), 0,
                          column_chunks(chunking_, root, t, index, chunking_.is_filtered(), total[t]));
    }
    index -= columns;
  }
  const Field& field = step.fields[index];
  for (std::size_t c = 0; !root.all_chunks.empty() && c < root.all_chunks[index].size(); ++c) {
    const auto component = field.components == 1 ? std::nullopt : std::optional<std::uint64_t>(c);
    index_chunks(dataset, writer_.image(), field.extents, chunk_shape(step, index), component,
                 root.all_chunks[index][c]);
  }
}

Publication PlainPlanner::publish(const StepPart& mine, const Measure& total) {
  const std::vector<PlannedDataset> datasets = datasets_of(mine.description, rules_, total, &chunking_);
  const RawLayout layout = lay_out(mine.description, total);
  return writer_.session(planned(mine, layout, total), [&](hid_t file) {
    write_attributes(file, file_attributes_);
    write_attributes(file, mine.description.attributes);
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      const bool is_chunked = !datasets[i].chunk.empty();
      const Handle creation = is_chunked
                                  ? chunked_creation(datasets[i].chunk, chunking_.pipeline(datasets[i].type), true)
                                  : contiguous_creation();
      const Handle dataset = create_dataset(file, datasets[i], creation.id());
      const PlannedSpace& space = layout.spaces[i];
      if (is_chunked) {
        write_chunks(dataset.id(), mine, i, total);
      } else if (space.length > 0 && H5Dget_offset(dataset.id()) != space.offset) {
        throw Error(ErrorKind::internal, "HDF5 put a data set elsewhere than planned")
            .on(datasets[i].path)
            .at(space.offset);
      }
    }
  });
}

void PlainPlanner::advance(const StepPart& /*mine*/, const Measure& /*total*/, bool published) {
  if (!published) return writer_.discard();
  is_written_ = true;
  writer_.commit();
}

std::unique_ptr<StepEngine> PlainPlanner::engine() {
  const auto attributes = [this]() -> const std::vector<Attribute>& { return file_attributes_; };
  return make_engine(engine_, layout_of_plain({rules_, attributes}));
}

Publication PlainPlanner::finish() {
  if (writer_.published_end() != 0) return {};
  return writer_.session({}, [&](hid_t file) { write_attributes(file, file_attributes_); });
}

}  // namespace quire::h5
