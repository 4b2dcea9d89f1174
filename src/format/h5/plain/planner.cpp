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
      engine_(EngineSettings::of(options, {})),
      alignment_(engine_.alignment),
      writer_(engine_.version) {}

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

// ---- Places

Measure PlainPlanner::measure(const StepPart& mine, bool /*root*/) const {
  Measure measure;
  for (const Table& table : mine.description.tables) measure.push_back(table.rows);
  add_field_slots(measure, mine);
  return measure;
}

PlainPlanner::RawLayout PlainPlanner::lay_out(const std::vector<PlannedDataset>& datasets) const {
  RawLayout layout{.spaces = {}, .end = writer_.published_end()};
  std::uint64_t next = round_up(writer_.first_free(), alignment_.multiple);
  for (const PlannedDataset& dataset : datasets) {
    const std::uint64_t length = dataset.bytes();
    next = alignment_.next(next, length);
    layout.spaces.push_back({next, length});
    next = checked_add(next, length);
    if (length > 0) layout.end = next;
  }
  return layout;
}

std::vector<Run> PlainPlanner::runs_of(const Table& table, const PlannedSpace* spaces, std::uint64_t before) const {
  const bool is_matrix = rules_.layout == TableLayout::matrix;
  std::vector<Run> runs(is_matrix ? 1 : table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    Run& run = runs[is_matrix ? 0 : c];
    run.cells.push_back({.column = c, .type = table.columns[c].type});
    run.record_bytes += size_of(table.columns[c].type);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Run& run = runs[r];
    run.records = table.rows;
    run.bytes = checked_multiply(run.records, run.record_bytes);
    run.offset = spaces[r].offset + before * run.record_bytes;
  }
  return runs;
}

std::vector<Run> PlainPlanner::runs_of(const Field& field, const PlannedSpace& space) {
  std::vector<Run> runs;
  Run run;
  run.record_bytes = size_of(field.type);
  run.records = volume(field.extents);
  run.bytes = run.records * run.record_bytes;
  for (std::uint64_t c = 0; c < field.components; ++c) {
    run.cells = {Cell{.column = c, .type = field.type}};
    run.offset = space.offset + c * run.bytes;
    runs.push_back(run);
  }
  return runs;
}

Placement PlainPlanner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const StepDescription& step = mine.description;
  const RawLayout layout = lay_out(datasets_of(step, rules_, total));
  Placement placement;
  placement.end = layout.end;
  std::size_t next = 0;
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    placement.tables.push_back(runs_of(step.tables[t], layout.spaces.data() + next, before[t]));
    next += placement.tables.back().size();
  }
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const std::uint64_t covered = total[step.tables.size() + f];
    if (covered > volume(field.extents)) {
      throw Error(ErrorKind::usage, "the boxes of all ranks hold " + std::to_string(covered) + " elements, the field " +
                                        std::to_string(volume(field.extents)))
          .on(field.name);
    }
    placement.fields.push_back(runs_of(field, layout.spaces[next++]));
  }
  return placement;
}

// ---- Publication

Publication PlainPlanner::publish(const StepPart& mine, const Measure& total) {
  const std::vector<PlannedDataset> datasets = datasets_of(mine.description, rules_, total);
  const RawLayout layout = lay_out(datasets);
  return writer_.session(layout.spaces, [&](hid_t file) {
    write_attributes(file, file_attributes_);
    write_attributes(file, mine.description.attributes);
    const Handle creation = contiguous_creation();
    for (std::size_t i = 0; i < datasets.size(); ++i) {
      const Handle dataset = create_dataset(file, datasets[i], creation.id());
      const PlannedSpace& space = layout.spaces[i];
      if (space.length > 0 && H5Dget_offset(dataset.id()) != space.offset) {
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
