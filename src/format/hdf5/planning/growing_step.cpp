#include "format/hdf5/planning/growing_step.hpp"

#include <algorithm>
#include <span>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

Handle open_group(hid_t file, const GrowingStep& step) {
  const std::string path = "/" + step.group;
  return own(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "open the step", path);
}

/// Changes the length of a column or of a matrix.
void set_rows(hid_t dataset, const GrowingTable& table, std::uint64_t rows) {
  const hsize_t extents[] = {rows, table.columns.size()};
  require(H5Dset_extent(dataset, extents), "change the length", table.path);
}

void extend_table(hid_t group, Image& image, const GrowingTable& old, const Table& added, std::uint64_t rows,
                  std::span<const std::vector<std::uint64_t>> lengths) {
  const std::uint64_t first = old.rows / old.chunk_rows;
  const Handle matrix = old.is_matrix ? open_dataset(group, old.path) : Handle();
  if (old.is_matrix) set_rows(matrix.id(), old, old.rows + rows);
  for (std::size_t c = 0; c < added.columns.size(); ++c) {
    const std::string& name = added.columns[c].name;
    if (old.is_matrix) {
      const auto place = std::ranges::find(old.columns, name, &GrowingColumn::name) - old.columns.begin();
      index_chunks(matrix.id(), image, old.chunk_rows, first, lengths[c], static_cast<std::uint64_t>(place));
      continue;
    }
    const Handle line = open_dataset(group, old.path_of(name));
    // With early allocation fill values may be written here, before the values.
    image.set_dropping(true);
    set_rows(line.id(), old, old.rows + rows);
    image.set_dropping(false);
    index_chunks(line.id(), image, old.chunk_rows, first, lengths[c]);
  }
}

bool share_any(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  return std::ranges::find_first_of(some, others) != some.end();
}

}  // namespace

const GrowingTable& GrowingStep::table(const std::string& path) const {
  const auto found = std::ranges::find(tables, path, &GrowingTable::path);
  if (found == tables.end()) throw Error(ErrorKind::conflict, "the step that grows has no such table").on(path);
  if (found->defect.empty()) return *found;
  throw Error(ErrorKind::conflict, "the table cannot grow: " + found->defect).on(path).advise(found->advice);
}

const GrowingField& GrowingStep::field(const std::string& name) const {
  const auto found = std::ranges::find(fields, name, &GrowingField::name);
  if (found == fields.end()) throw Error(ErrorKind::conflict, "the step that grows has no such field").on(name);
  return *found;
}

GrowingTable& GrowingStep::at_table(const std::string& path) {
  return *std::ranges::find(tables, path, &GrowingTable::path);
}

GrowingField& GrowingStep::at_field(const std::string& name) {
  return *std::ranges::find(fields, name, &GrowingField::name);
}

void GrowingStep::forget_others(const GrowingTable& grown) {
  const std::vector<std::string> paths = grown.paths();
  std::erase_if(fields, [&](const GrowingField& field) { return share_any(paths, field.paths); });
}

void GrowingStep::forget_others(const GrowingField& grown) {
  std::erase_if(tables, [&](const GrowingTable& table) { return share_any(table.paths(), grown.paths); });
}

void release_step(hid_t file, const GrowingStep& step, const Grown& grown, const StepDescription& added) {
  const Handle group = open_group(file, step);
  for (const GrowingTable* table : grown.tables) {
    if (table->open_rows() == 0) continue;
    for (const std::string& path : table->paths()) {
      set_rows(open_dataset(group.id(), path).id(), *table, table->rows - table->open_rows());
    }
  }
  for (std::size_t f = 0; f < grown.fields.size(); ++f) {
    release_chunks(group.id(), *grown.fields[f], added.fields[f].extents);
  }
}

void extend_step(hid_t file, Image& image, const GrowingStep& step, const Grown& grown, const StepDescription& added,
                 const PlannedStep& plan) {
  const Handle group = open_group(file, step);
  for (std::size_t t = 0; t < grown.tables.size(); ++t) {
    extend_table(group.id(), image, *grown.tables[t], added.tables[t], plan.rows[t], plan.lengths[t]);
  }
  for (std::size_t f = 0; f < grown.fields.size(); ++f) {
    extend_field(group.id(), image, *grown.fields[f], added.fields[f].extents, plan.chunks_of(f));
  }
}

}  // namespace quire::hdf5
