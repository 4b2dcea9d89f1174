#include "format/h5part/planner.hpp"

#include <algorithm>
#include <utility>

#include "format/appending.hpp"
#include "format/h5part/acceptance.hpp"
#include "format/h5part/dropping.hpp"
#include "format/h5part/field_plan.hpp"
#include "format/h5part/structure.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/links.hpp"
#include "quire/base/archive.hpp"
#include "quire/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t attribute_budget = std::uint64_t{64} << 20;

std::vector<std::string> names_of(const std::vector<Link>& links) {
  std::vector<std::string> names;
  for (const Link& link : links) names.push_back(link.name);
  return names;
}

unsigned width_option(const CheckedOptions& options) {
  const long long value = options.integer("step_width");
  constexpr long long most = 20;
  if (value < 0 || value > most) throw Error(ErrorKind::usage, "the width must be 0 to 20").on("step_width");
  return static_cast<unsigned>(value);
}

std::string prefix_option(const CheckedOptions& options) {
  const std::string prefix = options.text("step_name");
  constexpr std::size_t longest = 63;
  if (prefix.empty() || prefix.size() > longest || prefix.find('/') != std::string::npos) {
    throw Error(ErrorKind::usage, "a step name has 1 to 63 bytes without a slash").on("step_name");
  }
  return prefix;
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

}  // namespace

H5partPlanner::H5partPlanner(const CheckedOptions& options)
    : FilePlanner(options),
      naming_{prefix_option(options), width_option(options)},
      is_prefix_given_(options.given("step_name")),
      is_width_given_(options.given("step_width")),
      chunking_(options),
      grows_(options.truth("grow")),
      existing_(existing_option(options)) {
  if (grows_ && existing_ != Existing::refuse) {
    throw Error(ErrorKind::usage, "a file either grows or has its steps written over").on("existing");
  }
}

// ---- Taking over an existing file

Publication H5partPlanner::resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after, bool drop) {
  std::vector<StepEntry> leaving;
  Publication acts = take_over(std::move(existing), [&](hid_t file) {
    const std::vector<std::string> names = names_of(list_links(file, "/"));
    learn(file, names);
    learn_attributes(file);
    std::vector<std::string> warnings;
    units_ = Units(read_attributes(writer_.image(), file, attribute_budget, warnings, OldTexts::any));
    const std::vector<StepEntry> steps = step_entries(names, naming_.prefix, warnings);
    leaving = steps_to_drop(steps, after, drop);
    for (const StepEntry& step : steps) numbers_.insert(step.number);
    std::set<std::string> attached;
    for (const Attachment& attachment : list_attachments(file, writer_.image(), warnings)) {
      attached.insert(attachment.name);
    }
    attachments_.learn(std::move(attached));
    if (grows_ && leaving.empty() && !steps.empty()) {
      // HDF5 returns the addresses of chunks relative to the user block.
      if (writer_.image().base() != 0) throw Error(ErrorKind::unsupported, "files with a user block cannot grow");
      const StepEntry& last = steps.back();
      growing_ = growing_step(file, last.number, last.name, writer_.image(), attribute_budget);
    }
  });
  if (leaving.empty()) return acts;

  std::vector<std::string> names;
  for (const StepEntry& step : leaving) {
    names.push_back(step.name);
    numbers_.erase(step.number);
  }
  std::ranges::move(drop_links(writer_, names), std::back_inserter(acts));
  writer_.commit();
  return acts;
}

void H5partPlanner::learn(hid_t file, const std::vector<std::string>& links) {
  const auto is_group = [&](const std::string& name) { return may_be_group(writer_.image(), file, name); };
  const StepNaming found = is_prefix_given_ ? guess_width(links, naming_.prefix) : guess_naming(links, is_group);
  naming_.prefix = found.prefix;
  if (!is_width_given_) naming_.width = found.width;
}

std::vector<StepEntry> H5partPlanner::steps_to_drop(const std::vector<StepEntry>& steps,
                                                    std::optional<std::int64_t> after, bool drop) const {
  if (!after) return {};
  if (std::ranges::find(steps, *after, &StepEntry::number) == steps.end()) {
    throw no_step_to_append_after(*after, steps.empty() ? std::nullopt : std::optional(steps.back().number));
  }
  std::vector<StepEntry> leaving;
  std::ranges::copy_if(steps, std::back_inserter(leaving), [&](const StepEntry& step) { return step.number > *after; });
  if (!leaving.empty() && !drop) {
    throw Error(ErrorKind::conflict, "the file holds steps after step " + std::to_string(*after))
        .on(leaving.front().name)
        .advise("append after the last one, or request to drop the later steps");
  }
  return leaving;
}

// ---- What the ranks share

std::vector<std::byte> H5partPlanner::state() const {
  return pack(SharedState{writer_.state(), growing_, shared_attributes(has_published_)});
}

void H5partPlanner::adopt(std::span<const std::byte> state) {
  auto shared = unpack<SharedState>(state);
  writer_.adopt(shared.writer);
  growing_ = std::move(shared.growing);
  adopt_attributes(shared.attributes);
}

void H5partPlanner::set_file(const FileDescription& file) {
  FileAcceptance accepted = accept_file(file, units_);
  file_attributes_ = std::move(accepted.attributes);
  units_ = std::move(accepted.units);
}

void H5partPlanner::add_to_file(const Attribute& attribute) {
  FileDescription file;
  file.attributes.push_back(attribute);
  FileAcceptance accepted = accept_file(file, units_);
  add_attributes(file_attributes_, std::move(accepted.attributes), existing_ == Existing::overwrite);
  units_ = std::move(accepted.units);
}

StepDescription H5partPlanner::accept(const StepDescription& step, bool lossy) const {
  if (is_growth(step)) return accept_growth(step, lossy);
  if (existing_ == Existing::refuse && numbers_.contains(step.number)) {
    throw Error(ErrorKind::conflict, "step " + std::to_string(step.number) + " is already in the file")
        .on(naming_.name(step.number))
        .advise("give it another number, or write with the option existing=replace, add or overwrite");
  }
  return accept_step(step, units_, lossy);
}

// ---- Places

bool H5partPlanner::is_growth(const StepDescription& step) const { return growing_ && step.number == growing_->number; }

bool H5partPlanner::is_grouped(const StepDescription& step) const { return chunking_.is_filtered() || is_growth(step); }

void H5partPlanner::require_row_places(const StepDescription& step, std::size_t table) const {
  check_row_places(step.tables[table], is_growth(step), is_grouped(step));
}

StepDescription H5partPlanner::accept_growth(const StepDescription& step, bool lossy) const {
  StepDescription accepted = accept_step(step, units_, lossy);
  if (!accepted.attributes.empty()) {
    throw Error(ErrorKind::conflict, "the step that grows has its attributes already").on(accepted.attributes[0].name);
  }
  for (Field& field : accepted.fields) {
    field = grown_field(growing_->field(field.name), field);
  }
  for (Table& table : accepted.tables) {
    table = grown_table(*growing_, table);
  }
  return accepted;
}

Grouping H5partPlanner::grouping(const StepDescription& step, std::size_t /*table*/) const {
  if (is_growth(step) && is_grouped(step)) return growing_->grouping();
  return {.rows = chunking_.is_filtered() ? chunking_.rows() : 0, .open_rows = 0};
}

PackedGroup H5partPlanner::pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                      std::span<const std::byte> values) const {
  const Column& described = step.tables[table].columns[column];
  const std::vector<Filter> pipeline =
      is_growth(step) ? growing_->column(described.name).filters : chunking_.pipeline(described.type);
  PackedGroup group;
  group.bytes = coder_.encode(pipeline, values, checked_multiply(grouping(step, table).rows, size_of(described.type)));
  group.length = group.bytes.size();
  return group;
}

std::vector<std::uint64_t> H5partPlanner::chunk_shape(const StepDescription& step, std::size_t field) const {
  const Field& described = step.fields[field];
  if (!is_growth(step)) return chunking_.field_shape(described);
  return growing_->field(described.name).last_shape(described.extents.size());
}

std::vector<Filter> H5partPlanner::pipeline(const StepDescription& step, std::size_t field) const {
  const Field& described = step.fields[field];
  return is_growth(step) ? growing_->field(described.name).filters : chunking_.pipeline(described.type);
}

PackedGroup H5partPlanner::pack_chunk(const StepDescription& step, std::size_t field,
                                      std::span<const std::byte> values) const {
  PackedGroup chunk;
  chunk.bytes = coder_.encode(pipeline(step, field), values, values.size());
  chunk.length = chunk.bytes.size();
  return chunk;
}

std::vector<std::uint64_t> H5partPlanner::held_extents(const StepDescription& step, std::size_t field) const {
  if (!is_growth(step)) return {};
  return growing_->field(step.fields[field].name).last_extents(step.fields[field].extents.size());
}

Chunk H5partPlanner::held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                std::uint64_t index) const {
  return growing_->field(step.fields[field].name).chunk(component, step.fields[field].extents, index);
}

std::vector<std::byte> H5partPlanner::unpack_chunk(const StepDescription& step, std::size_t field, const Chunk& chunk,
                                                   std::span<const std::byte> bytes) const {
  const std::uint64_t length = checked_multiply(volume(chunk_shape(step, field)), size_of(step.fields[field].type));
  if (chunk.bytes == 0) return std::vector<std::byte>(static_cast<std::size_t>(length));
  return coder_.decode(pipeline(step, field), chunk.filter_mask, bytes, length);
}

Extent H5partPlanner::open_group(const StepDescription& step, std::size_t table, std::size_t column) const {
  const Chunk& chunk = growing_->column(step.tables[table].columns[column].name).last;
  return {chunk.offset, chunk.bytes};
}

std::vector<std::byte> H5partPlanner::unpack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                                   std::span<const std::byte> bytes) const {
  return growing_->open_values(coder_, step.tables[table].columns[column].name, bytes);
}

// The slots: rows, then one for each column with the sizes of its chunks if these are not known in advance, and one for
// the chunks of each component of chunked fields.
Measure H5partPlanner::measure(const StepPart& mine, bool /*root*/) const {
  const StepDescription& step = mine.description;
  Measure measure{step.tables.empty() ? 0 : step.tables.front().rows};
  if (!step.tables.empty() && is_grouped(step)) {
    for (std::size_t c = 0; c < step.tables.front().columns.size(); ++c) {
      measure.push_back(group_bytes(mine, 0, c));
    }
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    if (!chunk_shape(step, f).empty()) append_chunk_bytes(measure, mine, f);
  }
  return measure;
}

H5partPlanner::RawLayout H5partPlanner::lay_out(const StepDescription& step, const Measure& total) const {
  RawLayout layout{.columns = {}, .fields = {}, .end = writer_.published_end()};
  std::uint64_t next = round_up(writer_.first_free(), alignment_.multiple);
  const auto add = [&](std::vector<PlannedSpace>& places, std::uint64_t length) {
    next = alignment_.next(next, length);
    places.push_back({next, length});
    next = checked_add(next, length);
    if (length > 0) layout.end = next;
  };
  if (!step.tables.empty()) {
    const std::uint64_t rows = chunking_.stored_rows(total[0]);
    const std::vector<Column>& columns = step.tables.front().columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      add(layout.columns, is_grouped(step) ? total[1 + c] : checked_multiply(rows, size_of(columns[c].type)));
    }
  }
  std::vector<std::uint64_t> lengths = component_bytes(step);
  std::size_t slot = 1 + (is_grouped(step) && !step.tables.empty() ? step.tables.front().columns.size() : 0);
  std::size_t next_component = 0;
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const bool is_chunked = !chunk_shape(step, f).empty();
    for (std::uint64_t c = 0; c < step.fields[f].components; ++c, ++next_component) {
      add(layout.fields, is_chunked ? total[slot++] : lengths[next_component]);
    }
  }
  return layout;
}

std::vector<std::vector<std::uint64_t>> H5partPlanner::chunk_lengths(const StepPart& root, std::uint64_t rows) const {
  std::vector<std::vector<std::uint64_t>> lengths;
  const bool grouped = is_grouped(root.description);
  if ((chunking_.rows() == 0 && !grouped) || root.description.tables.empty()) return lengths;
  const std::vector<Column>& columns = root.description.tables.front().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    lengths.push_back(column_chunks(chunking_, root, 0, c, grouped, rows));
  }
  return lengths;
}

StepChunks H5partPlanner::chunks_of(const StepPart& root, std::uint64_t rows) const {
  StepChunks chunks{.chunking = &chunking_,
                    .lengths = chunk_lengths(root, rows),
                    .may_grow = grows_,
                    .shapes = {},
                    .fields = root.all_chunks};
  for (std::size_t f = 0; f < root.description.fields.size(); ++f) {
    chunks.shapes.push_back(chunk_shape(root.description, f));
  }
  return chunks;
}

Placement H5partPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const RawLayout layout = lay_out(mine.description, total);
  Placement placement;
  placement.end = layout.end;
  placement.fields = field_runs(mine.description, layout.fields);
  for (std::size_t f = 0; f < placement.fields.size(); ++f) {
    const bool is_chunked = !chunk_shape(mine.description, f).empty();
    for (Run& run : placement.fields[f]) run.opaque = is_chunked;
  }
  if (mine.description.tables.empty()) return placement;
  const Table& table = mine.description.tables.front();
  const Measure own = measure(mine, false);
  std::vector<Run>& runs = placement.tables.emplace_back();
  runs.reserve(table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Type type = table.columns[c].type;
    Run run;
    run.record_bytes = size_of(type);
    run.records = table.rows;
    if (is_grouped(mine.description)) {
      run.opaque = true;
      run.offset = layout.columns[c].offset + before[1 + c];
      run.bytes = own[1 + c];
    } else {
      run.offset = layout.columns[c].offset + before[0] * run.record_bytes;
      run.bytes = table.rows * run.record_bytes;
    }
    run.cells = {Cell{.column = c, .type = type}};
    runs.push_back(std::move(run));
  }
  return placement;
}

// ---- Publication

Publication H5partPlanner::session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                   const std::function<void(hid_t)>& before, const std::function<void(hid_t)>& after) {
  std::uint64_t first = writer_.first_free();
  for (const PlannedSpace& space : planned) first = std::max(first, checked_add(space.offset, space.length));
  const std::vector<PlannedSpace> attached = attachments_.lay_out(first);
  planned.insert(planned.end(), attached.begin(), attached.end());
  Publication acts = attachments_.contents(attached);
  std::ranges::move(writer_.session(
                        std::move(planned),
                        [&](hid_t file) {
                          work(file);
                          attachments_.write(file, attached);
                          if (after) after(file);
                        },
                        before),
                    std::back_inserter(acts));
  return acts;
}

void H5partPlanner::write_file_attributes(std::int64_t file, const StepDescription& step) const {
  for (const Attribute& attribute : file_attributes_) write_attribute(file, attribute.name, attribute.value);
  for (const auto& [quantity, unit] : new_units(step, units_)) {
    write_attribute(file, Units::attribute_name(quantity), Value(unit));
  }
}

Publication H5partPlanner::publish_growth(const StepPart& mine, const Measure& total) {
  const RawLayout layout = lay_out(mine.description, total);
  const StepChunks chunks = chunks_of(mine, total[0]);
  const auto grow = [&](hid_t file) {
    write_file_attributes(file, mine.description);
    extend_step(file, writer_.image(), *growing_, mine.description, total[0], chunks);
  };
  const auto release = [&](hid_t file) { release_open_chunks(file, *growing_, mine.description); };
  return session(planned_spaces(layout.columns, mine.description, layout.fields, chunks), grow, release);
}

void H5partPlanner::grow_fields(GrowingStep& step, const StepPart& mine, std::span<const PlannedSpace> places) const {
  for (std::size_t f = 0; f < mine.description.fields.size(); ++f) {
    const Field& field = mine.description.fields[f];
    if (!is_growth(mine.description)) {
      std::vector<std::uint64_t> shape = chunking_.field_shape(field);
      if (!shape.empty()) shape = block_shape(std::move(shape));
      step.fields.push_back(GrowingField::fresh(field.name, field, std::move(shape), chunking_.pipeline(field.type)));
    }
    const auto old = std::ranges::find(step.fields, field.name, &GrowingField::name);
    const auto components = static_cast<std::size_t>(field.components);
    if (old->defect.empty()) {
      old->grow(field.extents, places.first(components),
                mine.all_chunks.empty() ? std::vector<std::vector<PackedChunk>>{} : mine.all_chunks[f]);
    }
    places = places.subspan(components);
  }
}

std::optional<GrowingStep> H5partPlanner::grown(const StepPart& mine, const Measure& total) const {
  const bool grows = is_growth(mine.description);
  if (!grows_ || (chunking_.rows() == 0 && !chunking_.may_chunk_fields() && !grows)) return std::nullopt;
  GrowingStep step;
  if (grows) {
    step = *growing_;
  } else {
    step.number = mine.description.number;
    step.group = naming_.name(step.number);
    step.chunk_rows = chunking_.rows();
  }
  const RawLayout layout = lay_out(mine.description, total);
  grow_fields(step, mine, layout.fields);
  if (mine.description.tables.empty()) return step;
  step.rows = checked_add(step.rows, total[0]);
  const auto lengths = chunk_lengths(mine, total[0]);
  const std::vector<Column>& columns = mine.description.tables.front().columns;
  for (std::size_t c = 0; step.chunk_rows != 0 && c < columns.size(); ++c) {
    if (!grows) step.columns.push_back({columns[c].name, columns[c].type, chunking_.pipeline(columns[c].type), {}});
    if (!lengths.empty()) step.grow(columns[c].name, layout.columns[c], lengths[c]);
  }
  return step;
}

Publication H5partPlanner::publish(const StepPart& mine, const Measure& total) {
  if (is_growth(mine.description)) return publish_growth(mine, total);
  const StepDescription& step = mine.description;
  const RawLayout layout = lay_out(step, total);
  const StepChunks chunks = chunks_of(mine, total[0]);
  const Existing mode = numbers_.contains(step.number) ? existing_ : Existing::refuse;
  if (existing_ != Existing::refuse) writer_.image().keep_all();
  std::vector<std::string> replaced;
  const auto write = [&](hid_t file) {
    write_file_attributes(file, step);
    replaced = write_over(file, naming_.name(step.number), step, total[0], mode, [&](const std::string& name) {
      write_step(file, writer_.image(), name, step, layout.columns, chunks, total[0], layout.fields);
    });
  };
  return session(planned_spaces(layout.columns, step, layout.fields, chunks), write, {}, [&](hid_t file) {
    for (const std::string& name : replaced) require(H5Ldelete(file, name.c_str(), H5P_DEFAULT), "drop", name);
  });
}

void H5partPlanner::advance(const StepPart& mine, const Measure& total, bool published) {
  if (!published) return writer_.discard();
  // Other ranks do not know the chunks; they receive them with the state.
  growing_ = grown(mine, total);
  for (const auto& [quantity, unit] : new_units(mine.description, units_)) units_.set(quantity, unit);
  file_attributes_.clear();
  has_published_ = true;
  numbers_.insert(mine.description.number);
  writer_.commit();
  attachments_.advance();
}

void H5partPlanner::attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace) {
  attachments_.change(name, std::move(bytes), replace);
}

Publication H5partPlanner::finish() {
  if (writer_.published_end() != 0 && file_attributes_.empty() && attachments_.empty()) return {};
  Publication acts;
  if (writer_.published_end() == 0 && writer_.split()) acts.emplace_back(PublishWrite{0, owner_of_raw_data()});
  std::ranges::move(session({}, [&](hid_t file) { write_file_attributes(file, {}); }), std::back_inserter(acts));
  return acts;
}

}  // namespace quire::hdf5
