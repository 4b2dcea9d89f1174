#include "format/plain/planner.hpp"

#include <algorithm>
#include <utility>

#include "format/hdf5/library/creation.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/format/records.hpp"

namespace quire::hdf5 {
namespace {

Error one_step_only() {
  return Error(ErrorKind::unsupported, "a plain HDF5 file is one step")
      .advise(
          "write each step to a separate file, or choose a format of steps; with the option grow=true rows and "
          "elements are added to the step");
}

constexpr std::uint64_t survey_budget = std::uint64_t{64} << 20;

/// The state that rank 0 shares with the other ranks.
struct SharedState {
  WriterState writer;
  bool is_written = false;
  std::optional<GrowingData> growing;
  std::vector<std::string> attributes;  ///< of an existing file
  template <class Archive>
  void archive(Archive& a) {
    a(writer, is_written, growing, attributes);
  }
};

}  // namespace

PlainRules PlainPlanner::rules_of(const CheckedOptions& options) {
  PlainRules rules;
  if (options.text("layout") == "matrix") rules.layout = TableLayout::matrix;
  rules.unnamed = options.text("dataset");
  if (rules.layout == TableLayout::columns && options.given("dataset")) {
    throw Error(ErrorKind::usage, "only a matrix has a dataset of this name").on("dataset").advise("layout=matrix");
  }
  return rules;
}

PlainPlanner::PlainPlanner(const CheckedOptions& options)
    : FilePlanner(options), rules_(rules_of(options)), chunking_(options), grows_(options.truth("grow")) {}

Publication PlainPlanner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                 bool /*drop*/) {
  if (!grows_) throw one_step_only();
  if (after.value_or(0) != 0) {
    throw Error(ErrorKind::missing, "there is no step " + std::to_string(*after) + " to append after")
        .advise("a plain HDF5 file has the step 0");
  }
  Publication acts = take_over(std::move(existing), [&](hid_t file) {
    // HDF5 returns the addresses of chunks relative to the user block.
    if (writer_.image().base() != 0) throw Error(ErrorKind::unsupported, "files with a user block cannot grow");
    learn_attributes(file);
    growing_ = growing_data(file, writer_.image(), survey_budget);
  });
  is_written_ = !growing_->tables.empty() || !growing_->fields.empty();
  if (!is_written_) growing_.reset();
  return acts;
}

std::vector<std::byte> PlainPlanner::state() const {
  return pack(SharedState{writer_.state(), is_written_, growing_, shared_attributes(has_published_)});
}

void PlainPlanner::adopt(std::span<const std::byte> state) {
  auto shared = unpack<SharedState>(state);
  writer_.adopt(shared.writer);
  is_written_ = shared.is_written;
  growing_ = std::move(shared.growing);
  adopt_attributes(shared.attributes);
}

void PlainPlanner::add_to_file(const Attribute& attribute) {
  FileDescription file;
  file.attributes.push_back(attribute);
  add_attributes(file_attributes_, accepted_file(file), false);
}

StepDescription PlainPlanner::accept(const StepDescription& step, bool lossy) const {
  if (is_growth(step)) return accept_growth(step, lossy);
  if (is_written_) throw one_step_only();
  return accept_plain(step, rules_, file_attributes_, lossy);
}

// ---- Growth

bool PlainPlanner::is_growth(const StepDescription& step) const { return growing_ && step.number == growing_->number; }

bool PlainPlanner::is_grouped(const StepDescription& step) const { return chunking_.is_filtered() || is_growth(step); }

bool PlainPlanner::is_chunked(const StepDescription& step) const { return chunking_.rows() != 0 || is_growth(step); }

bool PlainPlanner::is_matrix(const StepDescription& step) const {
  return rules_.layout == TableLayout::matrix && !is_chunked(step);
}

const GrowingTable& PlainPlanner::growing(const StepDescription& step, std::size_t table) const {
  return growing_->table(path_of(step.tables[table], rules_));
}

const GrowingField& PlainPlanner::growing_field(const StepDescription& step, std::size_t field) const {
  return growing_->field(path_of(step.fields[field]));
}

void PlainPlanner::require_row_places(const StepDescription& step, std::size_t table) const {
  check_row_places(step.tables[table], is_growth(step), is_grouped(step));
}

StepDescription PlainPlanner::accept_growth(const StepDescription& step, bool lossy) const {
  StepDescription accepted = accept_plain(step, rules_, {}, lossy);
  if (!accepted.attributes.empty()) {
    throw Error(ErrorKind::conflict, "the step that grows has its attributes already").on(accepted.attributes[0].name);
  }
  for (std::size_t t = 0; t < accepted.tables.size(); ++t) {
    accepted.tables[t] = grown_table(growing(accepted, t), accepted.tables[t]);
  }
  for (std::size_t f = 0; f < accepted.fields.size(); ++f) {
    accepted.fields[f] = grown_field(growing_field(accepted, f), accepted.fields[f]);
  }
  return accepted;
}

Extent PlainPlanner::open_group(const StepDescription& step, std::size_t table, std::size_t column) const {
  const Chunk& chunk = growing(step, table).column(step.tables[table].columns[column].name).last;
  return {chunk.offset, chunk.bytes};
}

std::vector<std::byte> PlainPlanner::unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                  std::span<const std::byte> bytes) const {
  return growing(step, table).open_values(coder_, step.tables[table].columns[column].name, bytes);
}

std::vector<std::uint64_t> PlainPlanner::held_extents(const StepDescription& step, std::size_t field) const {
  if (!is_growth(step)) return {};
  return growing_field(step, field).last_extents(step.fields[field].extents.size());
}

Chunk PlainPlanner::held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                               std::uint64_t index) const {
  return growing_field(step, field).chunk(component, step.fields[field].extents, index);
}

std::vector<std::byte> PlainPlanner::unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                  std::span<const std::byte> bytes) const {
  const std::uint64_t length = checked_multiply(volume(chunk_shape(step, field)), size_of(step.fields[field].type));
  if (chunk.bytes == 0) return std::vector<std::byte>(static_cast<std::size_t>(length));
  return coder_.decode(pipeline(step, field), chunk.filter_mask, bytes, length);
}

// ---- Chunks

Grouping PlainPlanner::grouping(const StepDescription& step, std::size_t table) const {
  if (is_growth(step) && is_grouped(step)) return growing(step, table).grouping();
  return {.rows = chunking_.is_filtered() ? chunking_.rows() : 0, .open_rows = 0};
}

PackedGroup PlainPlanner::pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                     std::span<const std::byte> values) const {
  const Column& described = step.tables[table].columns[column];
  const std::vector<Filter> pipeline =
      is_growth(step) ? growing(step, table).column(described.name).filters : chunking_.pipeline(described.type);
  PackedGroup group;
  group.bytes = coder_.encode(pipeline, values, checked_multiply(grouping(step, table).rows, size_of(described.type)));
  group.length = group.bytes.size();
  return group;
}

std::vector<std::uint64_t> PlainPlanner::chunk_shape(const StepDescription& step, std::size_t field) const {
  if (!is_growth(step)) return chunking_.field_shape(step.fields[field]);
  return growing_field(step, field).last_shape(step.fields[field].extents.size());
}

std::vector<Filter> PlainPlanner::pipeline(const StepDescription& step, std::size_t field) const {
  return is_growth(step) ? growing_field(step, field).filters : chunking_.pipeline(step.fields[field].type);
}

PackedGroup PlainPlanner::pack_chunk(const StepDescription& step, std::size_t field,
                                     std::span<const std::byte> values) const {
  PackedGroup chunk;
  chunk.bytes = coder_.encode(pipeline(step, field), values, values.size());
  chunk.length = chunk.bytes.size();
  return chunk;
}

// ---- Places

Measure PlainPlanner::measure(const StepPart& mine, bool /*root*/) const {
  const StepDescription& step = mine.description;
  Measure measure;
  for (const Table& table : step.tables) measure.push_back(table.rows);
  for (const FieldPart& field : mine.fields) measure.push_back(field.selection.elements());
  for (std::size_t t = 0; is_grouped(step) && t < step.tables.size(); ++t) {
    for (std::size_t c = 0; c < step.tables[t].columns.size(); ++c) measure.push_back(group_bytes(mine, t, c));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    if (!chunk_shape(step, f).empty()) append_chunk_bytes(measure, mine, f);
  }
  return measure;
}

PlainPlanner::RawLayout PlainPlanner::lay_out(const StepDescription& step, const Measure& total) const {
  const bool are_matrices = is_matrix(step);
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
      if (are_matrices) continue;
      const std::uint64_t rows = chunking_.stored_rows(total[t]);
      add(is_grouped(step) ? total[slot++] : checked_multiply(rows, size_of(column.type)));
    }
    if (are_matrices) add(checked_multiply(total[t], row_bytes));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const bool has_chunks = !chunk_shape(step, f).empty();
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(field.components),
                                       checked_multiply(volume(field.extents), size_of(field.type)));
    std::uint64_t sum = 0;
    for (std::uint64_t& length : lengths) {
      if (has_chunks) length = total[slot++];
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
  const bool is_one = is_matrix(mine.description);
  std::vector<Run> runs(is_one ? 1 : described.columns.size());
  for (std::size_t c = 0; c < described.columns.size(); ++c) {
    Run& run = runs[is_one ? 0 : c];
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
    for (std::size_t c = 0; is_grouped(step) && c < runs.size(); ++c, ++slot) {
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

ColumnChunks PlainPlanner::chunk_lengths(const StepPart& root, const Measure& total) const {
  const StepDescription& step = root.description;
  ColumnChunks lengths;
  for (std::size_t t = 0; is_chunked(step) && t < step.tables.size(); ++t) {
    auto& columns = lengths.emplace_back();
    for (std::size_t c = 0; c < step.tables[t].columns.size(); ++c) {
      columns.push_back(column_chunks(chunking_, root, t, c, is_grouped(step), total[t]));
    }
  }
  return lengths;
}

std::vector<PlannedSpace> PlainPlanner::planned(const StepPart& root, const RawLayout& layout,
                                                const Measure& total) const {
  const StepDescription& step = root.description;
  const ColumnChunks lengths = chunk_lengths(root, total);
  std::vector<PlannedSpace> spaces;
  std::size_t next = 0;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    for (std::size_t c = 0; c < (is_matrix(step) ? 1 : step.tables[t].columns.size()); ++c, ++next) {
      if (lengths.empty()) {
        spaces.push_back(layout.spaces[next]);
        continue;
      }
      std::uint64_t offset = layout.spaces[next].offset;
      for (const std::uint64_t length : lengths[t][c]) {
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

Handle PlainPlanner::make_dataset(hid_t file, const PlannedDataset& dataset, const PlannedSpace& space) const {
  const bool has_chunks = !dataset.chunk.empty();
  const Handle creation =
      has_chunks ? chunked_creation(dataset.chunk, chunking_.pipeline(dataset.type), true) : contiguous_creation();
  Handle made = create_dataset(file, dataset, creation.id());
  if (!has_chunks && space.length > 0 && place_of(H5Dget_offset(made.id())) != space.offset) {
    throw Error(ErrorKind::internal, "HDF5 put a dataset elsewhere than planned").on(dataset.path).at(space.offset);
  }
  return made;
}

void PlainPlanner::make_tables(hid_t file, const StepPart& root, const RawLayout& layout, const Measure& total,
                               std::span<const PlannedDataset> datasets) {
  const ColumnChunks lengths = chunk_lengths(root, total);
  const bool is_one = rules_.layout == TableLayout::matrix;
  std::size_t next = 0;
  for (std::size_t t = 0; t < root.description.tables.size(); ++t) {
    Handle dataset;
    for (std::size_t c = 0; c < root.description.tables[t].columns.size(); ++c) {
      if (c == 0 || !is_one) {
        dataset = make_dataset(file, datasets[next], layout.spaces[next]);
        ++next;
      }
      if (lengths.empty()) continue;
      const auto column = is_one ? std::optional<std::uint64_t>(c) : std::nullopt;
      index_chunks(dataset.id(), writer_.image(), chunking_.rows(), 0, lengths[t][c], column);
    }
  }
}

void PlainPlanner::make_fields(hid_t file, const StepPart& root, std::span<const PlannedSpace> spaces,
                               std::span<const PlannedDataset> datasets) {
  for (std::size_t f = 0; f < datasets.size(); ++f) {
    const Field& field = root.description.fields[f];
    const Handle dataset = make_dataset(file, datasets[f], spaces[f]);
    for (std::size_t c = 0; !root.all_chunks.empty() && c < root.all_chunks[f].size(); ++c) {
      const auto component = field.components == 1 ? std::nullopt : std::optional<std::uint64_t>(c);
      index_chunks(dataset.id(), writer_.image(), field.extents, chunk_shape(root.description, f), component,
                   root.all_chunks[f][c]);
    }
  }
}

Publication PlainPlanner::publish(const StepPart& mine, const Measure& total) {
  if (is_growth(mine.description)) return publish_growth(mine, total);
  const std::vector<PlannedDataset> datasets = datasets_of(mine.description, rules_, total, &chunking_);
  const RawLayout layout = lay_out(mine.description, total);
  const std::size_t fields = mine.description.fields.size();
  return writer_.session(planned(mine, layout, total), [&](hid_t file) {
    write_attributes(file, file_attributes_);
    write_attributes(file, mine.description.attributes);
    if (datasets.empty()) mark_without_datasets(file);
    make_tables(file, mine, layout, total, datasets);
    make_fields(file, mine, std::span(layout.spaces).last(fields), std::span(datasets).last(fields));
  });
}

Publication PlainPlanner::publish_growth(const StepPart& mine, const Measure& total) {
  const RawLayout layout = lay_out(mine.description, total);
  const ColumnChunks lengths = chunk_lengths(mine, total);
  const auto extend = [&](hid_t file) {
    write_attributes(file, file_attributes_);
    extend_data(file, writer_.image(), *growing_, mine.description, rules_, total, lengths, mine.all_chunks);
  };
  const auto release = [&](hid_t file) { release_data(file, *growing_, mine.description, rules_); };
  return writer_.session(planned(mine, layout, total), extend, release);
}

std::optional<GrowingData> PlainPlanner::grown(const StepPart& mine, const Measure& total) const {
  const StepDescription& step = mine.description;
  if (!grows_) return std::nullopt;
  GrowingData data = growing_.value_or(GrowingData{.number = step.number, .tables = {}, .fields = {}});
  const RawLayout layout = lay_out(step, total);
  const ColumnChunks lengths = chunk_lengths(mine, total);
  std::size_t next = 0;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const std::string path = path_of(step.tables[t], rules_);
    if (!growing_) data.tables.push_back(fresh_table(step.tables[t], rules_, chunking_));
    GrowingTable& table = data.at_table(path);
    table.rows = checked_add(table.rows, total[t]);
    for (std::size_t c = 0; !lengths.empty() && c < lengths[t].size(); ++c) {
      table.grow(step.tables[t].columns[c].name, layout.spaces[next++], lengths[t][c]);
    }
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    if (!growing_) {
      data.fields.push_back(
          GrowingField::fresh(path_of(field), field, chunking_.field_shape(field), chunking_.pipeline(field.type)));
    }
    GrowingField& old = data.at_field(path_of(field));
    if (!old.defect.empty()) continue;
    old.grow(field.extents, layout.components[f],
             mine.all_chunks.empty() ? std::vector<std::vector<PackedChunk>>{} : mine.all_chunks[f]);
  }
  if (growing_) data.forget_others(step, rules_);
  return data;
}

void PlainPlanner::advance(const StepPart& mine, const Measure& total, bool published) {
  if (!published) return writer_.discard();
  // Other ranks do not know the chunks; they receive them with the state.
  growing_ = grown(mine, total);
  file_attributes_.clear();
  has_published_ = true;
  is_written_ = true;
  writer_.commit();
}

Publication PlainPlanner::finish() {
  if (writer_.published_end() != 0 && file_attributes_.empty()) return {};
  return writer_.session({}, [&](hid_t file) { write_attributes(file, file_attributes_); });
}

}  // namespace quire::hdf5
