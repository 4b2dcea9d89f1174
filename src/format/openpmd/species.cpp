#include "format/openpmd/species.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/patches.hpp"

namespace quire::hdf5 {
namespace {

/// Positions and momenta come first, their offsets last.
void sort_records(std::vector<Record>& records) {
  std::ranges::stable_sort(records, {}, [](const Record& record) {
    if (record.name == "position") return 0;
    if (record.name == "momentum") return 1;
    return record.name == offset_of_position ? 3 : 2;
  });
}

bool is_zero_offset(const Record& record) {
  return record.name == offset_of_position && !record.components.empty() &&
         std::ranges::all_of(record.components, [](const RecordComponent& component) { return component.is_zero(); });
}

/// The number of rows of a species: that of most components.
std::uint64_t rows_of(const std::vector<Record>& records) {
  std::map<std::uint64_t, std::size_t> votes;
  for (const Record& record : records) {
    for (const RecordComponent& component : record.components) {
      if (component.data.extents.size() == 1) ++votes[component.data.extents.front()];
    }
  }
  const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  return most == votes.end() ? 0 : most->first;
}

/// One species while it is described.
class Species {
 public:
  Species(const SpeciesNames& names, ChunkScope& chunks, StepLayout& step, OpaqueObjects& opaque)
      : name_(names.species), chunks_(chunks), step_(step), opaque_(opaque) {
    table_.name = names.table;
  }

  void add(std::vector<Record> records) {
    sort_records(records);
    table_.rows = rows_of(records);
    for (Record& record : records) {
      const bool is_implied = is_zero_offset(record);
      for (RecordComponent& component : record.components) add(record, component, is_implied);
      std::erase_if(record.attributes, [](const Attribute& a) { return a.name == "unitDimension"; });
      keep_attributes(record.name, record.attributes);
    }
    step_.description.tables.push_back(std::move(table_));
    step_.tables.push_back(std::move(place_));
  }

  /// Keeps the attributes of an object of the species as attributes of the step.
  void keep_attributes(const std::string& object, std::vector<Attribute>& attributes) {
    drop_preset(attributes, attribute_of("timeOffset", 0.0));
    for (Attribute& attribute : attributes) {
      attribute.name = name_ + "/" + (object.empty() ? "" : object + "/") + attribute.name;
      step_.description.attributes.push_back(std::move(attribute));
    }
  }

 private:
  void add(const Record& record, RecordComponent& component, bool is_implied) {
    const RecordPath path{record.name, component.name};
    const std::string unit = take_unit(record.attributes, component.attributes);
    const bool has_rows = component.data.extents.size() == 1 && component.data.extents.front() == table_.rows;
    if (!has_rows || !component.members.empty()) {
      chunks_.warnings.push_back(component.path + " is left out: it is no column with a number for each particle");
      return;
    }
    if (!is_implied) add_column(path, unit, component);
    keep_attributes(path.text(), component.attributes);
  }

  void add_column(const RecordPath& path, const std::string& unit, RecordComponent& component) {
    Column column{take_quantity(column_name(path, unit), component.data.type, component.attributes)};
    const bool is_taken = std::ranges::find(table_.columns, column.name, &Column::name) != table_.columns.end();
    if (is_taken) column.name = path.text();
    column.unit = unit;
    Run& run = component.data.run;
    run.cells.front().column = table_.columns.size();
    if (run.opaque)
      opaque_[(table_.name.empty() ? "" : table_.name + "/") + column.name] = {component.path, column.type};
    if (component.is_constant) {
      Attribute& constant = table_.constants.emplace_back();
      static_cast<Quantity&>(constant) = column;
      constant.value = Value::numbers(column.type, {}, run.chunks->fill);
    }
    table_.columns.push_back(std::move(column));
    place_.runs.push_back(std::move(run));
  }

  std::string name_;  ///< of the species
  ChunkScope& chunks_;
  StepLayout& step_;
  OpaqueObjects& opaque_;
  Table table_;
  Place place_;
};

}  // namespace

void describe_species(const RecordScope& scope, const SpeciesNames& names, StepLayout& step, OpaqueObjects& opaque) {
  std::vector<Record> records;
  std::optional<Link> with_patches;
  for (const Link& link : list_links(scope.group, scope.path)) {
    if (link.name == particle_patches) {
      with_patches = link;
    } else if (auto record = read_record(scope, link)) {
      records.push_back(*std::move(record));
    }
  }
  Species species(names, scope.chunks, step, opaque);
  std::vector<Attribute> own =
      read_attributes(scope.chunks.image, scope.group, scope.chunks.memory_budget, scope.chunks.warnings);
  species.keep_attributes("", own);
  species.add(std::move(records));
  if (!with_patches) return;
  const Handle group = open_group(scope.group, *with_patches, scope.chunks.image);
  if (!group) return;
  const std::string inner(particle_patches);
  const std::string name = names.species + "/" + inner;
  std::vector<Table>& tables = step.description.tables;
  const std::size_t described = tables.size() - 1;
  describe_species({group.id(), scope.path + "/" + inner, scope.chunks}, {name, name}, step, opaque);
  tables[described].zones = zones_of_patches(tables[described], tables[described + 1]);
}

}  // namespace quire::hdf5
