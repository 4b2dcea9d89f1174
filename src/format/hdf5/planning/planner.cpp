#include "format/hdf5/planning/planner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// Of a column of texts: HDF5 stores each with the size of the longest.
constexpr std::uint64_t longest_text = std::uint64_t{64} << 10;

/// For so many attributes of one object, each of which HDF5 compares with all others without an index.
AttributeIndex index_of(std::size_t attributes) {
  constexpr std::size_t few = 999;
  // HDF5 counts to 65,535, and the unit of an attribute may be another one.
  constexpr std::size_t most_in_order = 30000;
  if (attributes <= few) return AttributeIndex::none;
  return attributes <= most_in_order ? AttributeIndex::in_order : AttributeIndex::unordered;
}

/// The state that rank 0 shares with the other ranks.
struct SharedState {
  WriterState writer;
  std::optional<GrowingStep> growing;
  std::vector<std::string> attributes;  ///< of an existing file
  template <class Archive>
  void archive(Archive& a) {
    a(writer, growing, attributes);
  }
};

PackedGroup packed(std::vector<std::byte> bytes) {
  PackedGroup group;
  group.bytes = std::move(bytes);
  group.length = group.bytes.size();
  return group;
}

/// Assigns consecutive places.
class Allocation {
 public:
  Allocation(const Alignment& alignment, std::uint64_t first_free, std::uint64_t& end)
      : alignment_(alignment), next_(round_up(first_free, alignment.multiple)), end_(end) {}

  PlannedSpace add(std::uint64_t length) {
    const PlannedSpace space{alignment_.next(next_, length), length};
    next_ = checked_add(space.offset, length);
    if (length > 0) end_ = next_;
    return space;
  }
  /// Several places without gaps.
  std::vector<PlannedSpace> add_joined(const std::vector<std::uint64_t>& lengths) {
    std::uint64_t sum = 0;
    for (const std::uint64_t length : lengths) sum = checked_add(sum, length);
    std::uint64_t offset = add(sum).offset;
    std::vector<PlannedSpace> spaces;
    for (const std::uint64_t length : lengths) {
      spaces.push_back({offset, length});
      offset += length;
    }
    return spaces;
  }

 private:
  const Alignment& alignment_;
  std::uint64_t next_;
  std::uint64_t& end_;
};

/// The runs of this rank's rows after `before` others: one, or one for each column.
std::vector<Run> runs_of(const Table& table, bool is_one, std::span<const PlannedSpace> spaces, std::uint64_t before) {
  std::vector<Run> runs(is_one ? 1 : table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    Run& run = runs[is_one ? 0 : c];
    run.cells.push_back({.column = c, .type = table.columns[c].type, .text_bytes = table.columns[c].text_bytes});
    run.record_bytes += bytes_of(table.columns[c]);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Run& run = runs[r];
    run.records = table.rows;
    run.bytes = checked_multiply(run.records, run.record_bytes);
    run.offset = spaces[r].offset + before * run.record_bytes;
  }
  return runs;
}

/// The bytes of a chunk of a column. Throws usage errors if HDF5 cannot hold so many: long texts need few rows.
std::uint64_t chunk_bytes(const Column& column, std::uint64_t rows) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  const std::uint64_t bytes = checked_multiply(rows, bytes_of(column));
  if (bytes <= most) return bytes;
  throw Error(ErrorKind::usage, "a chunk of the column takes " + std::to_string(bytes) + " bytes, more than 2 GiB")
      .on(column.name)
      .advise("write with fewer rows in a chunk: the option chunk");
}

/// Throws usage errors if the ranks write more elements than a field has.
void check_elements(const StepDescription& step, const Measure& total) {
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const std::uint64_t covered = total[step.tables.size() + f];
    const std::uint64_t elements = volume(step.fields[f].extents);
    if (covered <= elements) continue;
    throw Error(ErrorKind::usage, "the boxes of all ranks hold " + std::to_string(covered) + " elements, the field " +
                                      std::to_string(elements))
        .on(step.fields[f].name);
  }
}

}  // namespace

Hdf5Planner::Hdf5Planner(const CheckedOptions& options, std::unique_ptr<Layout> layout)
    : FilePlanner(options),
      layout_(std::move(layout)),
      chunking_(options),
      grows_(layout_->traits().may_grow && options.truth("grow")) {}

// ---- The file and what the ranks share

Publication Hdf5Planner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after, bool drop) {
  const auto open = [&](const std::function<void(hid_t)>& look) {
    return take_over(std::move(existing), [&](hid_t file) {
      look(file);
      learn_attributes(file);
    });
  };
  Resumed resumed = layout_->resume(writer_, open, after, drop);
  growing_ = std::move(resumed.growing);
  return std::move(resumed.acts);
}

std::vector<std::byte> Hdf5Planner::state() const {
  return pack(SharedState{writer_.state(), growing_, shared_attributes(has_published_)});
}

void Hdf5Planner::adopt(std::span<const std::byte> state) {
  auto shared = unpack<SharedState>(state);
  writer_.adopt(shared.writer);
  growing_ = std::move(shared.growing);
  adopt_attributes(shared.attributes);
}

void Hdf5Planner::set_file(const FileDescription& file) {
  file_attributes_ = layout_->accept_file(file);
  layout_->keep_file(file);
}

void Hdf5Planner::add_to_file(const Attribute& attribute) {
  FileDescription file;
  file.attributes.push_back(attribute);
  add_attributes(file_attributes_, layout_->accept_file(file), layout_->traits().replaces_attributes);
  layout_->keep_file(file);
}

PlannerCapabilities Hdf5Planner::capabilities() {
  PlannerCapabilities all;
  all.grows = grows_ && layout_->traits().holds_one_step;
  if (chunking_.may_chunk_fields() || grows_) {
    all.row_groups = this;
    all.field_chunks = this;
  }
  all.holds_constants = layout_->traits().holds_constants;
  all.row_places = this;
  all.longest_padded_text = longest_text;
  if (layout_->traits().records_zones) all.zones = this;
  all.late_attributes = this;
  all.attachments = layout_->attachments();
  all.file_set = this;
  return all;
}

StepDescription Hdf5Planner::accept(const StepDescription& step, bool lossy) const {
  if (is_growth(step)) return accept_growth(step, lossy);
  layout_->check_new(step.number, !has_published_ && !growing_);
  return layout_->accept(step, file_attributes_, lossy);
}

// ---- Growth

bool Hdf5Planner::is_growth(const StepDescription& step) const { return growing_ && step.number == growing_->number; }

bool Hdf5Planner::is_grouped(const StepDescription& step) const { return chunking_.is_filtered() || is_growth(step); }

bool Hdf5Planner::is_chunked(const StepDescription& step) const { return chunking_.rows() != 0 || is_growth(step); }

bool Hdf5Planner::is_matrix(const StepDescription& step) const {
  return layout_->traits().joins_columns && !is_chunked(step);
}

const GrowingTable& Hdf5Planner::growing(const Table& table) const { return growing_->table(layout_->name_of(table)); }

const GrowingField& Hdf5Planner::growing(const Field& field) const { return growing_->field(layout_->name_of(field)); }

Grown Hdf5Planner::growing(const StepDescription& step) const {
  Grown grown;
  for (const Table& table : step.tables) grown.tables.push_back(&growing(table));
  for (const Field& field : step.fields) grown.fields.push_back(&growing(field));
  return grown;
}

void Hdf5Planner::require_row_places(const StepDescription& step, std::size_t table) const {
  check_row_places(step.tables[table], is_growth(step), is_grouped(step));
}

StepDescription Hdf5Planner::accept_growth(const StepDescription& step, bool lossy) const {
  StepDescription accepted = layout_->accept(step, {}, lossy);
  if (!accepted.attributes.empty()) {
    throw Error(ErrorKind::conflict, "the step that grows has its attributes already").on(accepted.attributes[0].name);
  }
  for (Table& table : accepted.tables) table = grown_table(growing(table), table);
  for (Field& field : accepted.fields) field = grown_field(growing(field), field);
  return accepted;
}

Extent Hdf5Planner::open_group(const StepDescription& step, std::size_t table, std::size_t column) const {
  const Chunk& chunk = growing(step.tables[table]).column(step.tables[table].columns[column].name).last;
  return {chunk.offset, chunk.bytes};
}

std::vector<std::byte> Hdf5Planner::unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                 std::span<const std::byte> bytes) const {
  return growing(step.tables[table]).open_values(coder_, step.tables[table].columns[column].name, bytes);
}

std::vector<std::uint64_t> Hdf5Planner::held_extents(const StepDescription& step, std::size_t field) const {
  if (!is_growth(step)) return {};
  return growing(step.fields[field]).last_extents(step.fields[field].extents.size());
}

Chunk Hdf5Planner::held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                              std::uint64_t index) const {
  return growing(step.fields[field]).chunk(component, step.fields[field].extents, index);
}

// ---- Chunks

Grouping Hdf5Planner::grouping(const StepDescription& step, std::size_t table) const {
  if (is_growth(step)) return growing(step.tables[table]).grouping();
  return {.rows = chunking_.is_filtered() ? chunking_.rows() : 0, .open_rows = 0};
}

std::vector<Filter> Hdf5Planner::pipeline(const StepDescription& step, const Table& table, const Column& column) const {
  return is_growth(step) ? growing(table).column(column.name).filters : chunking_.pipeline(column.type);
}

std::vector<Filter> Hdf5Planner::pipeline(const StepDescription& step, const Field& field) const {
  return is_growth(step) ? growing(field).filters : chunking_.pipeline(field.type);
}

PackedGroup Hdf5Planner::pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                    std::span<const std::byte> values) const {
  const Column& described = step.tables[table].columns[column];
  const std::uint64_t bytes = chunk_bytes(described, grouping(step, table).rows);
  return packed(coder_.encode(pipeline(step, step.tables[table], described), values, bytes));
}

std::vector<std::uint64_t> Hdf5Planner::chunk_shape(const StepDescription& step, std::size_t field) const {
  const Field& described = step.fields[field];
  if (!is_growth(step)) return chunking_.field_shape(described);
  return growing(described).last_shape(described.extents.size());
}

PackedGroup Hdf5Planner::pack_chunk(const StepDescription& step, std::size_t field,
                                    std::span<const std::byte> values) const {
  return packed(coder_.encode(pipeline(step, step.fields[field]), values, values.size()));
}

std::vector<std::byte> Hdf5Planner::unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                 std::span<const std::byte> bytes) const {
  const Field& described = step.fields[field];
  const std::uint64_t length = checked_multiply(volume(chunk_shape(step, field)), size_of(described.type));
  if (chunk.bytes == 0) return std::vector<std::byte>(static_cast<std::size_t>(length));
  return coder_.decode(pipeline(step, described), chunk.filter_mask, bytes, length);
}

// ---- Places

Measure Hdf5Planner::measure(const StepPart& mine, bool /*root*/) const {
  const StepDescription& step = mine.description;
  Measure measure;
  for (const Table& table : step.tables) measure.push_back(table.rows);
  if (layout_->traits().counts_elements) {
    for (const FieldPart& field : mine.fields) measure.push_back(field.selection.elements());
  }
  for (std::size_t t = 0; is_grouped(step) && t < step.tables.size(); ++t) {
    for (std::size_t c = 0; c < step.tables[t].columns.size(); ++c) measure.push_back(group_bytes(mine, t, c));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    if (!chunk_shape(step, f).empty()) append_chunk_bytes(measure, mine, f);
  }
  return measure;
}

std::size_t Hdf5Planner::first_chunk_slot(const StepDescription& step) const {
  return step.tables.size() + (layout_->traits().counts_elements ? step.fields.size() : 0);
}

PlannedStep Hdf5Planner::lay_out(const StepDescription& step, const Measure& total) const {
  PlannedStep plan;
  plan.end = writer_.published_end();
  Allocation places(alignment_, writer_.first_free(), plan.end);
  std::size_t slot = first_chunk_slot(step);
  const bool is_one = is_matrix(step);
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const std::uint64_t rows = plan.rows.emplace_back(total[t]);
    auto& spaces = plan.tables.emplace_back();
    std::uint64_t row_bytes = 0;
    for (const Column& column : step.tables[t].columns) {
      row_bytes += bytes_of(column);
      if (is_one) continue;
      static_cast<void>(chunk_bytes(column, chunking_.rows()));
      const std::uint64_t stored = chunking_.stored_rows(rows);
      spaces.push_back(places.add(is_grouped(step) ? total[slot++] : checked_multiply(stored, bytes_of(column))));
    }
    if (is_one) spaces.push_back(places.add(checked_multiply(rows, row_bytes)));
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const bool has_chunks = !plan.shapes.emplace_back(chunk_shape(step, f)).empty();
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(field.components),
                                       checked_multiply(volume(field.extents), size_of(field.type)));
    for (std::uint64_t& length : lengths) {
      if (has_chunks) length = total[slot++];
    }
    auto& spaces = plan.fields.emplace_back();
    if (plan.joined.emplace_back(layout_->joins_components(field))) {
      spaces = places.add_joined(lengths);
    } else {
      for (const std::uint64_t length : lengths) spaces.push_back(places.add(length));
    }
  }
  return plan;
}

Placement Hdf5Planner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const StepDescription& step = mine.description;
  const PlannedStep plan = lay_out(step, total);
  const Measure own = measure(mine, false);
  Placement placement;
  placement.end = plan.end;
  std::size_t slot = first_chunk_slot(step);
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    auto& runs = placement.tables.emplace_back(runs_of(step.tables[t], is_matrix(step), plan.tables[t], before[t]));
    for (std::size_t c = 0; is_grouped(step) && c < runs.size(); ++c, ++slot) {
      runs[c].opaque = true;
      runs[c].offset = plan.tables[t][c].offset + before[slot];
      runs[c].bytes = own[slot];
    }
  }
  if (layout_->traits().counts_elements) check_elements(step, total);
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    auto& runs = placement.fields.emplace_back();
    for (std::size_t c = 0; c < plan.fields[f].size(); ++c) {
      Run& run = runs.emplace_back();
      run.record_bytes = size_of(step.fields[f].type);
      run.offset = plan.fields[f][c].offset;
      run.bytes = plan.fields[f][c].length;
      run.records = volume(step.fields[f].extents);
      run.opaque = !plan.shapes[f].empty();
      run.cells = {Cell{.column = c, .type = step.fields[f].type}};
    }
  }
  return placement;
}

// ---- Publication

PlannedStep Hdf5Planner::plan(const StepPart& root, const Measure& total) const {
  const StepDescription& step = root.description;
  PlannedStep plan = lay_out(step, total);
  plan.chunks = root.all_chunks;
  for (std::size_t t = 0; is_chunked(step) && t < step.tables.size(); ++t) {
    auto& columns = plan.lengths.emplace_back();
    for (std::size_t c = 0; c < step.tables[t].columns.size(); ++c) {
      columns.push_back(column_chunks(chunking_, root, t, c, is_grouped(step), total[t]));
    }
  }
  return plan;
}

Publication Hdf5Planner::publish(const StepPart& mine, const Measure& total) {
  const StepDescription& step = mine.description;
  writer_.image().set_attribute_index(index_of(std::max(file_attributes_.size(), step.attributes.size())));
  const PlannedStep planned = plan(mine, total);
  SessionWork work;
  std::vector<std::string> replaced;
  if (is_growth(step)) {
    work.write = [&](hid_t file) {
      layout_->write_file(file, file_attributes_, step);
      extend_step(file, writer_.image(), *growing_, growing(step), step, planned);
    };
    work.release = [&](hid_t file) { release_step(file, *growing_, growing(step), step); };
  } else {
    work.write = [&](hid_t file) {
      layout_->write_file(file, file_attributes_, step);
      replaced = layout_->create({file, writer_.image(), step, planned, chunking_});
    };
    work.drop = [&](hid_t file) {
      for (const std::string& path : replaced) require(H5Ldelete(file, path.c_str(), H5P_DEFAULT), "drop", path);
    };
  }
  return layout_->session(writer_, planned.spaces(), work);
}

std::optional<GrowingStep> Hdf5Planner::grown(const StepPart& mine, const Measure& total) const {
  const StepDescription& step = mine.description;
  if (!grows_) return std::nullopt;
  std::optional<GrowingStep> all = is_growth(step) ? growing_ : layout_->fresh(step, chunking_);
  if (!all) return all;
  const PlannedStep planned = plan(mine, total);
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    GrowingTable& table = all->at_table(layout_->name_of(step.tables[t]));
    table.rows = checked_add(table.rows, planned.rows[t]);
    for (std::size_t c = 0; !planned.lengths.empty() && c < planned.lengths[t].size(); ++c) {
      table.grow(step.tables[t].columns[c], planned.tables[t][c], planned.lengths[t][c]);
    }
    if (is_growth(step)) all->forget_others(table);
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    GrowingField& field = all->at_field(layout_->name_of(step.fields[f]));
    if (!field.defect.empty()) continue;
    field.grow(step.fields[f].extents, planned.fields[f], planned.chunks_of(f));
    if (is_growth(step)) all->forget_others(field);
  }
  return all;
}

void Hdf5Planner::advance(const StepPart& mine, const Measure& total, bool published) {
  if (!published) return writer_.discard();
  // Other ranks do not know the chunks; they receive them with the state.
  growing_ = grown(mine, total);
  layout_->advance(mine.description);
  file_attributes_.clear();
  has_published_ = true;
  writer_.commit();
}

Publication Hdf5Planner::finish() {
  const bool is_new = writer_.published_end() == 0;
  if (!is_new && file_attributes_.empty() && !layout_->has_changes()) return {};
  Publication acts;
  if (is_new && writer_.split()) acts.emplace_back(PublishWrite{0, owner_of_raw_data()});
  SessionWork work{.write = [&](hid_t file) { layout_->write_file(file, file_attributes_, {}); }};
  std::ranges::move(layout_->session(writer_, {}, work), std::back_inserter(acts));
  return acts;
}

}  // namespace quire::hdf5
