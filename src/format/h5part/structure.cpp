#include "format/h5part/structure.hpp"

#include "format/h5part/field_plan.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire::hdf5 {
namespace {

/// The step's own objects are complete. Space that they freed while they grew may be reused by others, such as the
/// root.
void end_cold(hid_t file, Image& image) {
  image.set_cold(false);
  const auto count = require(H5Fget_free_sections(file, H5FD_MEM_DEFAULT, 0, nullptr), "count free sections");
  std::vector<H5F_sect_info_t> sections(static_cast<std::size_t>(count));
  if (count > 0) {
    require(H5Fget_free_sections(file, H5FD_MEM_DEFAULT, sections.size(), sections.data()), "list free sections");
  }
  for (const H5F_sect_info_t& section : sections) {
    image.keep(place_of(section.addr + image.base().value_or(0)), section.size);
  }
}

/// Writes a column whose length is unlimited.
void write_chunked_column(hid_t group, Image& image, const Column& column, const Chunking& chunking,
                          std::span<const std::uint64_t> lengths, hsize_t rows) {
  const std::uint64_t shape = chunking.rows();
  const std::uint64_t extent = rows;
  const Handle creation = chunked_creation(std::span(&shape, 1), chunking.pipeline(column.type), false);
  const Handle space = unlimited_space(std::span(&extent, 1), column.name);
  const Handle dataset = own(H5Dcreate2(group, column.name.c_str(), native_type(column.type), space.id(), H5P_DEFAULT,
                                        creation.id(), H5P_DEFAULT),
                             "create the column", column.name);
  index_chunks(dataset.id(), image, chunking.rows(), 0, lengths);
}

/// Creates a component of a field with unlimited extents, without linking it.
Handle create_chunked(hid_t group, Image& image, const Field& field, std::size_t index, std::size_t component,
                      const StepChunks& chunks) {
  const std::vector<std::uint64_t> extents = block_extents(field);
  const std::vector<std::uint64_t> shape = block_shape(chunks.shapes[index]);
  const Handle creation = chunked_creation(shape, chunks.chunking->pipeline(field.type), true);
  const Handle space = unlimited_space(extents, field.name);
  Handle dataset = own(H5Dcreate_anon(group, native_type(field.type), space.id(), creation.id(), H5P_DEFAULT),
                       "create a component of the field", field.name);
  index_chunks(dataset.id(), image, extents, shape, std::nullopt, chunks.of(index, component));
  return dataset;
}

}  // namespace

std::span<const PackedChunk> StepChunks::of(std::size_t field, std::size_t component) const {
  if (field >= fields.size() || component >= fields[field].size()) return {};
  return fields[field][component];
}

std::vector<PlannedSpace> planned_spaces(const std::vector<PlannedSpace>& columns, const StepDescription& step,
                                         const std::vector<PlannedSpace>& fields, const StepChunks& chunks) {
  std::vector<PlannedSpace> spaces;
  if (chunks.lengths.empty()) spaces = columns;
  for (std::size_t c = 0; c < chunks.lengths.size(); ++c) {
    std::uint64_t next = columns[c].offset;
    for (const std::uint64_t length : chunks.lengths[c]) {
      spaces.push_back({next, length});
      next += length;
    }
  }
  std::size_t next = 0;
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    for (std::size_t c = 0; c < step.fields[f].components; ++c) {
      const PlannedSpace& place = fields[next++];
      if (chunks.shapes.at(f).empty()) spaces.push_back(place);
      for (const PackedChunk& chunk : chunks.of(f, c)) spaces.push_back({place.offset + chunk.place, chunk.length});
    }
  }
  return spaces;
}

Handle make_step(hid_t file, const std::string& name, const StepDescription& step,
                 const std::function<void(hid_t group, std::size_t column)>& make_column,
                 const ComponentMaker& make_component) {
  const Handle creation = group_creation();
  Handle group = own(H5Gcreate_anon(file, creation.id(), H5P_DEFAULT), "create the step", name);
  for (const Attribute& attribute : step.attributes) write_attribute(group.id(), attribute.name, attribute.value);
  if (!step.tables.empty()) {
    for (std::size_t c = 0; c < step.tables.front().columns.size(); ++c) make_column(group.id(), c);
  }
  write_fields(group.id(), step, make_component);
  return group;
}

void link_step(hid_t file, const std::string& name, hid_t group) {
  require(H5Olink(group, file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the step", name);
}

void write_step(hid_t file, Image& image, const std::string& name, const StepDescription& step,
                const std::vector<PlannedSpace>& places, const StepChunks& chunks, std::uint64_t rows,
                const std::vector<PlannedSpace>& fields) {
  const Handle contiguous = contiguous_creation();
  const auto make_column = [&](hid_t group, std::size_t c) {
    const Column& column = step.tables.front().columns[c];
    if (!chunks.lengths.empty()) {
      return write_chunked_column(group, image, column, *chunks.chunking, chunks.lengths[c], rows);
    }
    const Handle dataset = create_dataset(group, column.name, column.type, places[c], {rows}, contiguous.id());
    require(H5Olink(dataset.id(), group, column.name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the column",
            column.name);
  };
  std::vector<std::pair<std::size_t, std::size_t>> components;
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    for (std::size_t c = 0; c < step.fields[f].components; ++c) components.emplace_back(f, c);
  }
  const auto make_component = [&](hid_t group, const Field& field, std::size_t index) {
    const auto [f, component] = components[index];
    if (!chunks.shapes[f].empty()) return create_chunked(group, image, field, f, component, chunks);
    return create_dataset(group, field.name, field.type, fields[index], block_extents(field), contiguous.id());
  };
  // The group is linked when it is complete: until then nothing of the root is changed.
  image.set_cold(!chunks.may_grow);
  const Handle group = make_step(file, name, step, make_column, make_component);
  end_cold(file, image);
  link_step(file, name, group.id());
}

}  // namespace quire::hdf5
