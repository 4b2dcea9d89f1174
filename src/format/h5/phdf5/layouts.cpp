#include "format/h5/phdf5/layouts.hpp"

#include <algorithm>
#include <utility>

#include "format/h5/chunking.hpp"
#include "format/h5/field_plan.hpp"
#include "format/h5/names.hpp"
#include "format/h5/phdf5/growing.hpp"
#include "format/h5/plain/structure.hpp"
#include "format/h5/structure.hpp"
#include "format/h5/types.hpp"

namespace quire::h5 {
namespace {

bool is_covered(const Field& field, std::uint64_t elements) { return elements >= volume(field.extents); }

/// The component and field at each index among all components of a step.
std::vector<std::pair<std::size_t, std::uint64_t>> components_of(const StepDescription& step) {
  std::vector<std::pair<std::size_t, std::uint64_t>> components;
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    for (std::uint64_t c = 0; c < step.fields[f].components; ++c) components.emplace_back(f, c);
  }
  return components;
}

/// Creation properties of a chunked dataset with early allocation: parallel HDF5 allocates early anyway, and can extend
/// no other datasets.
Handle library_chunks(const std::vector<std::uint64_t>& shape, const Chunking& chunking, Type type) {
  Handle creation = chunked_creation(shape, chunking.pipeline(type), true);
  require(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), "set the allocation time");
  return creation;
}

/// A dataset of the file to which a step adds, with its new extents.
EngineTarget extended(Extensions& extensions, hid_t parent, const std::string& path,
                      const std::vector<std::uint64_t>& extents, bool is_filtered) {
  EngineTarget target;
  target.dataset = own(H5Dopen2(parent, path.c_str(), H5P_DEFAULT), "open the dataset", path);
  target.name = path;
  target.is_filtered = is_filtered;
  extensions.extend(target.dataset, extents, path);
  return target;
}

/// Sets the members for a component of a field.
void turn_to_field(EngineTarget& target, const Field& field, std::size_t index, std::uint64_t component,
                   std::vector<std::uint64_t> lead) {
  target.name = field.name;
  target.kind = EngineTarget::Kind::field;
  target.index = index;
  target.cells = {Cell{.column = component, .type = field.type}};
  target.lead = std::move(lead);
}

class StepFileLayout final : public EngineLayout {
 public:
  explicit StepFileLayout(StepFileRules rules) : rules_(std::move(rules)) {}

  [[nodiscard]] std::vector<EngineTarget> make(hid_t file, const StepPart& mine, const Measure& total) override {
    const StepDescription& step = mine.description;
    if (const GrowingStep* old = rules_.growing(step)) return grow(file, *old, step, total[0]);
    std::vector<EngineTarget> targets;
    const auto make_column = [&](hid_t group, std::size_t c) {
      targets.push_back(column_of(group, step.tables.front().columns[c], c, total[0], covers_rows(mine, 0)));
    };
    const std::vector<std::pair<std::size_t, std::uint64_t>> components = components_of(step);
    const auto make_component = [&](hid_t group, const Field& field, std::size_t index) {
      const auto [f, component] = components[index];
      EngineTarget target;
      target.dataset = component_of(group, field, is_covered(field, total[1 + f]));
      turn_to_field(target, field, f, component, front_of(block_extents(field).size(), field));
      targets.push_back(std::move(target));
      return targets.back().dataset.share();
    };
    group_ = make_step(file, rules_.group_of(step.number), step, make_column, make_component);
    return targets;
  }

  void publish(hid_t file, const StepDescription& step, const LayoutRanks& ranks) override {
    rules_.write_file_attributes(file, step);
    write_attachments(file, *rules_.attachments, ranks);
    if (group_) link_step(file, rules_.group_of(step.number), group_.id());
    group_.release();
    extensions_.keep();
  }

  void discard(hid_t /*file*/) override {
    // The library frees an unlinked group when its last identifier is closed.
    group_.release();
    extensions_.take_back();
  }
  void finish(hid_t file, const LayoutRanks& ranks) override {
    rules_.write_file_attributes(file, {});
    write_attachments(file, *rules_.attachments, ranks);
  }
  void abandon() noexcept override {
    group_.abandon();
    extensions_.abandon();
  }

 private:
  /// The indices on the axes of a dataset before those of the field.
  [[nodiscard]] static std::vector<std::uint64_t> front_of(std::size_t axes, const Field& field) {
    return std::vector<std::uint64_t>(axes - field.extents.size());
  }

  [[nodiscard]] std::vector<EngineTarget> grow(hid_t file, const GrowingStep& old, const StepDescription& step,
                                               std::uint64_t rows) {
    std::vector<EngineTarget> targets;
    const Handle group = own(H5Gopen2(file, old.group.c_str(), H5P_DEFAULT), "open the step", old.group);
    for (std::size_t c = 0; !step.tables.empty() && c < step.tables.front().columns.size(); ++c) {
      const Column& column = step.tables.front().columns[c];
      const bool is_filtered = !old.column(column.name).filters.empty();
      EngineTarget target = extended(extensions_, group.id(), column.name, {old.rows + rows}, is_filtered);
      target.cells = {Cell{.column = c, .type = column.type}};
      target.first = old.rows;
      targets.push_back(std::move(target));
    }
    for (const auto& [f, component] : components_of(step)) {
      const Field& field = step.fields[f];
      const GrowingField& known = old.field(field.name);
      const std::string path = std::string(block_name) + "/" + field.name + "/" + std::to_string(component);
      EngineTarget target =
          extended(extensions_, group.id(), path, extended_extents(known, field.extents), !known.filters.empty());
      turn_to_field(target, field, f, component, front_of(known.extents.size(), field));
      targets.push_back(std::move(target));
    }
    return targets;
  }

  [[nodiscard]] Handle component_of(hid_t group, const Field& field, bool is_whole) const {
    const std::vector<std::uint64_t> extents = block_extents(field);
    const std::vector<std::uint64_t> shape = rules_.chunking.field_shape(field);
    if (shape.empty()) return create_dataset(group, field.name, field.type, extents, creation_of(is_whole).id());
    const Handle creation = library_chunks(block_shape(shape), rules_.chunking, field.type);
    const Handle space = unlimited_space(extents, field.name);
    return own(H5Dcreate_anon(group, native_type(field.type), space.id(), creation.id(), H5P_DEFAULT),
               "create a component of the field", field.name);
  }

  [[nodiscard]] EngineTarget column_of(hid_t group, const Column& column, std::size_t index, std::uint64_t rows,
                                       bool is_whole) const {
    EngineTarget target;
    target.name = column.name;
    target.cells = {Cell{.column = index, .type = column.type}};
    const std::uint64_t chunk_rows = rules_.chunking.rows();
    if (chunk_rows == 0) {
      target.dataset = create_dataset(group, column.name, column.type, {rows}, creation_of(is_whole).id());
    } else {
      const Handle creation = library_chunks({chunk_rows}, rules_.chunking, column.type);
      const Handle space = unlimited_space(std::span(&rows, 1), column.name);
      target.dataset = own(H5Dcreate_anon(group, native_type(column.type), space.id(), creation.id(), H5P_DEFAULT),
                           "create the column", column.name);
    }
    require(H5Olink(target.dataset.id(), group, column.name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the column",
            column.name);
    return target;
  }

  StepFileRules rules_;
  Handle group_;  ///< of the step that is being written
  Extensions extensions_;
};

class PlainLayout final : public EngineLayout {
 public:
  explicit PlainLayout(PlainFileRules rules) : rules_(std::move(rules)) {}

  [[nodiscard]] std::vector<EngineTarget> make(hid_t file, const StepPart& mine, const Measure& total) override {
    const StepDescription& step = mine.description;
    if (const GrowingData* old = rules_.growing(step)) return grow(file, *old, step, total);
    const std::vector<PlannedDataset> datasets = datasets_of(step, rules_.rules, total, &rules_.chunking);
    const std::size_t of_tables = datasets.size() - step.fields.size();
    std::vector<EngineTarget> targets;
    std::size_t next = 0;
    for (std::size_t t = 0; t < step.tables.size(); ++t) {
      add_table(targets, file, step.tables[t], t, creation_of(covers_rows(mine, t)), datasets, next);
    }
    for (std::size_t f = 0; f < step.fields.size(); ++f) {
      const Field& field = step.fields[f];
      const Handle creation = creation_of(is_covered(field, total[step.tables.size() + f]));
      add_field(targets, make_one(file, datasets[of_tables + f], creation), field, f);
    }
    return targets;
  }

  void publish(hid_t file, const StepDescription& step, const LayoutRanks& /*ranks*/) override {
    write_attributes(file, rules_.file_attributes());
    write_attributes(file, step.attributes);
    if (made_.empty() && rules_.growing(step) == nullptr) mark_without_datasets(file);
    made_.clear();
    extensions_.keep();
  }

  void discard(hid_t file) override {
    for (const std::string& path : made_) require(H5Ldelete(file, path.c_str(), H5P_DEFAULT), "drop", path);
    made_.clear();
    extensions_.take_back();
  }

  void finish(hid_t file, const LayoutRanks& /*ranks*/) override { write_attributes(file, rules_.file_attributes()); }

  void abandon() noexcept override { extensions_.abandon(); }

 private:
  [[nodiscard]] std::vector<EngineTarget> grow(hid_t file, const GrowingData& data, const StepDescription& step,
                                               const Measure& total) {
    std::vector<EngineTarget> targets;
    for (std::size_t t = 0; t < step.tables.size(); ++t) {
      grow_table(targets, file, data.table(path_of(step.tables[t], rules_.rules)), step.tables[t], t, total[t]);
    }
    for (std::size_t f = 0; f < step.fields.size(); ++f) {
      grow_field(targets, file, data.field(path_of(step.fields[f])), step.fields[f], f);
    }
    return targets;
  }

  /// One dataset, with the components along its first axis if there are several.
  void grow_field(std::vector<EngineTarget>& targets, hid_t file, const GrowingField& old, const Field& field,
                  std::size_t index) {
    std::vector<std::uint64_t> extents = extended_extents(old, field.extents);
    std::vector<std::uint64_t> lead(old.extents.size() - field.extents.size());
    if (old.components != 1) {
      extents.insert(extents.begin(), old.components);
      lead.insert(lead.begin(), 0);
    }
    const EngineTarget all = extended(extensions_, file, old.name, extents, !old.filters.empty());
    for (std::uint64_t component = 0; component < old.components; ++component) {
      if (old.components != 1) lead.front() = component;
      EngineTarget& target = targets.emplace_back();
      target.dataset = all.dataset.share();
      target.is_filtered = all.is_filtered;
      turn_to_field(target, field, index, component, lead);
    }
  }

  /// One dataset for each column, or one for all of them in the order of the file.
  void grow_table(std::vector<EngineTarget>& targets, hid_t file, const GrowingTable& old, const Table& table,
                  std::size_t index, std::uint64_t rows) {
    const std::vector<std::string> paths = old.paths();
    for (std::size_t c = 0; c < old.columns.size(); ++c) {
      const auto column = std::ranges::find(table.columns, old.columns[c].name, &Column::name);
      const Cell cell{.column = static_cast<std::size_t>(column - table.columns.begin()), .type = column->type};
      if (c > 0 && old.is_matrix) {
        targets.back().cells.push_back(cell);
        continue;
      }
      std::vector<std::uint64_t> extents{old.rows + rows};
      if (old.is_matrix) extents.push_back(old.columns.size());
      EngineTarget target = extended(extensions_, file, paths[c], extents, !old.columns[c].filters.empty());
      target.index = index;
      target.cells = {cell};
      target.first = old.rows;
      targets.push_back(std::move(target));
    }
  }

  [[nodiscard]] Handle make_one(hid_t file, const PlannedDataset& dataset, const Handle& contiguous) {
    const Handle chunked =
        dataset.chunk.empty() ? Handle() : library_chunks(dataset.chunk, rules_.chunking, dataset.type);
    Handle made = create_dataset(file, dataset, chunked ? chunked.id() : contiguous.id());
    made_.push_back(dataset.path);
    return made;
  }

  void add_table(std::vector<EngineTarget>& targets, hid_t file, const Table& table, std::size_t index,
                 const Handle& contiguous, const std::vector<PlannedDataset>& datasets, std::size_t& next) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Cell cell{.column = c, .type = table.columns[c].type};
      if (c > 0 && rules_.rules.layout == TableLayout::matrix) {
        targets.back().cells.push_back(cell);
        continue;
      }
      EngineTarget target;
      target.dataset = make_one(file, datasets[next], contiguous);
      target.name = datasets[next++].path;
      target.index = index;
      target.cells = {cell};
      targets.push_back(std::move(target));
    }
  }

  static void add_field(std::vector<EngineTarget>& targets, const Handle& dataset, const Field& field,
                        std::size_t index) {
    for (std::uint64_t c = 0; c < field.components; ++c) {
      EngineTarget target;
      target.dataset = dataset.share();
      target.name = field.name;
      target.kind = EngineTarget::Kind::field;
      target.index = index;
      target.cells = {Cell{.column = c, .type = field.type}};
      if (field.components != 1) target.lead = {c};
      targets.push_back(std::move(target));
    }
  }

  PlainFileRules rules_;
  std::vector<std::string> made_;  ///< of a step that is not published
  Extensions extensions_;
};

}  // namespace

bool covers_rows(const StepPart& mine, std::size_t table) noexcept {
  const ChosenRows* chosen = mine.rows_chosen_of(table);
  return chosen == nullptr || !chosen->leaves_gaps;
}

Handle creation_of(bool is_covered) {
  Handle creation = new_contiguous_creation();
  if (!is_covered) require(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_ALLOC), "set the fill time");
  return creation;
}

void add_field_slots(Measure& measure, const StepPart& mine) {
  for (const FieldPart& field : mine.fields) measure.push_back(field.selection.elements());
}

std::unique_ptr<EngineLayout> layout_of_steps(StepFileRules rules) {
  return std::make_unique<StepFileLayout>(std::move(rules));
}

std::unique_ptr<EngineLayout> layout_of_plain(PlainFileRules rules) {
  return std::make_unique<PlainLayout>(std::move(rules));
}

}  // namespace quire::h5
