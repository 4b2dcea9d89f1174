#include "format/h5part/structure.hpp"

#include "format/h5part/field_plan.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire::hdf5 {
namespace {

/// Writes a column whose length is unlimited.
void write_chunked_column(hid_t group, const NewStep& step, std::size_t index) {
  const Column& column = step.step.tables.front().columns[index];
  const std::uint64_t shape = step.chunking.rows();
  const std::uint64_t extent = step.plan.rows.front();
  const Handle creation = chunked_creation(std::span(&shape, 1), step.chunking.pipeline(column.type), false);
  const Handle space = unlimited_space(std::span(&extent, 1), column.name);
  const ColumnType type(column);
  const Handle dataset =
      own(H5Dcreate2(group, column.name.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
          "create the column", column.name);
  index_chunks(dataset.id(), step.image, shape, 0, step.plan.lengths.front()[index]);
}

/// Creates a component of a field with unlimited extents, without linking it.
Handle create_chunked(hid_t group, const NewStep& step, std::size_t index, std::size_t component) {
  const Field& field = step.step.fields[index];
  const std::vector<std::uint64_t> extents = block_extents(field);
  const std::vector<std::uint64_t> shape = block_shape(step.plan.shapes[index]);
  const Handle creation = chunked_creation(shape, step.chunking.pipeline(field.type), true);
  const Handle space = unlimited_space(extents, field.name);
  Handle dataset = own(H5Dcreate_anon(group, native_type(field.type), space.id(), creation.id(), H5P_DEFAULT),
                       "create a component of the field", field.name);
  const auto chunks = step.plan.chunks_of(index);
  if (component < chunks.size()) {
    index_chunks(dataset.id(), step.image, extents, shape, std::nullopt, chunks[component]);
  }
  return dataset;
}

void write_columns(hid_t group, const NewStep& step) {
  const Handle contiguous = contiguous_creation();
  const std::vector<Column>& columns = step.step.tables.front().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!step.plan.lengths.empty()) {
      write_chunked_column(group, step, c);
      continue;
    }
    const Column& column = columns[c];
    const ColumnType type(column);
    const Handle dataset = create_dataset_of(group, column.name, type.id(), step.plan.tables.front()[c],
                                             {step.plan.rows.front()}, contiguous.id());
    require(H5Olink(dataset.id(), group, column.name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the column",
            column.name);
  }
}

}  // namespace

void write_step(const NewStep& step, const std::string& name, bool may_grow) {
  // The group is linked when it is complete: until then nothing of the root is changed.
  step.image.set_cold(!may_grow);
  const Handle creation = group_creation(step.image);
  const Handle group = own(H5Gcreate_anon(step.file, creation.id(), H5P_DEFAULT), "create the step", name);
  for (const Attribute& attribute : step.step.attributes) write_attribute(group.id(), attribute.name, attribute.value);
  if (!step.step.tables.empty()) {
    write_column_order(group.id(), step.step.tables.front().columns);
    write_columns(group.id(), step);
  }
  const Handle contiguous = contiguous_creation();
  write_fields(group.id(), step.step, [&](hid_t parent, std::size_t f, std::size_t component) {
    if (!step.plan.shapes[f].empty()) return create_chunked(parent, step, f, component);
    const Field& field = step.step.fields[f];
    return create_dataset(parent, field.name, field.type, step.plan.fields[f][component], block_extents(field),
                          contiguous.id());
  });
  end_cold(step.file, step.image);
  require(H5Olink(group.id(), step.file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the step", name);
}

}  // namespace quire::hdf5
