#include "format/h5part/growth.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/base/endian.hpp"
#include "quire/base/error.hpp"
#include "quire/kernels/codec.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 31;

Error cannot_grow(const std::string& why, const std::string& column) {
  return Error(ErrorKind::conflict, "the column cannot grow: " + why)
      .on(column)
      .advise("copy the file with a chunk size; its columns are then unlimited");
}

std::vector<Filter> filters_of(hid_t creation, const std::string& column) {
  std::vector<Filter> filters;
  const int count = require(H5Pget_nfilters(creation), "read the filters", column);
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    std::array<unsigned, 32> parameters{};
    std::size_t length = parameters.size();
    unsigned flags = 0;
    unsigned config = 0;
    const H5Z_filter_t number = require(
        H5Pget_filter2(creation, i, &flags, &length, parameters.data(), 0, nullptr, &config), "read a filter", column);
    length = std::min(length, parameters.size());
    Filter filter{static_cast<std::uint32_t>(number), {parameters.begin(), parameters.begin() + length}};
    if (!kernels::encodes(filter)) {
      throw cannot_grow("its chunks go through filter " + std::to_string(number) + ", which is only read", column);
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

/// Reads length and chunk size of a column; both must equal those of the preceding columns.
void take_shape(GrowingStep& step, hid_t dataset, hid_t creation, const std::string& column, bool is_first) {
  if (H5Pget_layout(creation) != H5D_CHUNKED) throw cannot_grow("it is not stored in chunks", column);
  const Handle space = own(H5Dget_space(dataset), "read the shape", column);
  if (require(H5Sget_simple_extent_ndims(space.id()), "read the shape", column) != 1) {
    throw cannot_grow("it has several dimensions", column);
  }
  hsize_t rows = 0;
  hsize_t limit = 0;
  hsize_t chunk = 0;
  require(H5Sget_simple_extent_dims(space.id(), &rows, &limit), "read the shape", column);
  require(H5Pget_chunk(creation, 1, &chunk), "read the chunk size", column);
  if (limit != H5S_UNLIMITED) throw cannot_grow("its length is limited", column);
  if (!is_first && (rows != step.rows || chunk != step.chunk_rows)) {
    throw cannot_grow("its length or chunk size is not that of the other columns", column);
  }
  step.rows = rows;
  step.chunk_rows = chunk;
}

GrowingColumn growing_column(GrowingStep& step, hid_t group, const std::string& name, const FileEnds& ends) {
  const Handle dataset = own(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open the column", name);
  const Handle creation = own(H5Dget_create_plist(dataset.id()), "read the layout", name);
  take_shape(step, dataset.id(), creation.id(), name, step.columns.empty());
  const std::string defect = allocation_defect(dataset.id(), name, true);
  if (!defect.empty()) throw cannot_grow(defect, name);
  const Handle type = own(H5Dget_type(dataset.id()), "read the type", name);
  const auto stored = stored_type(type.id());
  if (!stored || stored->direct != native_order || size_of(stored->type) == 0) {
    throw cannot_grow("its numbers are not those of this machine", name);
  }
  if (step.chunk_rows > largest_chunk / size_of(stored->type)) throw cannot_grow("its chunks are too large", name);
  GrowingColumn column{.name = name, .type = stored->type, .filters = filters_of(creation.id(), name), .last = {}};
  if (step.open_rows() == 0) return column;
  const hsize_t first = step.rows - step.open_rows();
  haddr_t address = HADDR_UNDEF;
  hsize_t bytes = 0;
  unsigned mask = 0;
  require(H5Dget_chunk_info_by_coord(dataset.id(), &first, &mask, &address, &bytes), "look for the last chunk", name);
  if (address == HADDR_UNDEF) throw cannot_grow("its last chunk was never written", name);
  const std::uint64_t place = ends.place(address);
  if (!ends.hold(place, bytes)) {
    throw Error(ErrorKind::bad_file, "the last chunk of the column is outside the file").on(name).at(place);
  }
  column.last = {.offset = place, .bytes = bytes, .filter_mask = mask};
  return column;
}

}  // namespace

const GrowingField& GrowingStep::field(const std::string& name) const {
  const auto found = std::ranges::find(fields, name, &GrowingField::name);
  if (found == fields.end()) throw Error(ErrorKind::conflict, "the step that grows has no such field").on(name);
  return *found;
}

namespace {

constexpr const char* block_group = "Block";

/// Calls `use` with the open dataset of each component of a field.
template <class Use>
void for_each_component(hid_t step, const std::string& field, std::size_t components, Use&& use) {
  for (std::size_t c = 0; c < components; ++c) {
    const std::string path = std::string(block_group) + "/" + field + "/" + std::to_string(c);
    const Handle dataset = own(H5Dopen2(step, path.c_str(), H5P_DEFAULT), "open a component of the field", field);
    use(dataset.id(), c);
  }
}

std::vector<GrowingField> growing_fields(hid_t step, Image& image, std::uint64_t memory_budget) {
  std::vector<GrowingField> fields;
  if (require(H5Lexists(step, block_group, H5P_DEFAULT), "look for fields") == 0) return fields;
  const Handle block = own(H5Gopen2(step, block_group, H5P_DEFAULT), "open the fields");
  for (const Link& link : list_links(block.id(), block_group)) {
    const Handle group(H5Gopen2(block.id(), link.name.c_str(), H5P_DEFAULT));
    if (!group) continue;
    std::vector<Handle> components;
    std::vector<hid_t> ids;
    for (const Link& component : list_links(group.id(), link.name)) {
      components.push_back(
          own(H5Dopen2(group.id(), component.name.c_str(), H5P_DEFAULT), "open a component", link.name));
      ids.push_back(components.back().id());
    }
    fields.push_back(growing_field(link.name, ids, image, memory_budget));
  }
  return fields;
}

}  // namespace

GrowingStep growing_step(hid_t file, std::int64_t number, const std::string& group_name, Image& image,
                         std::uint64_t memory_budget) {
  GrowingStep step;
  step.number = number;
  step.group = group_name;
  const Handle group = own(H5Gopen2(file, group_name.c_str(), H5P_DEFAULT), "open the step", group_name);
  step.fields = growing_fields(group.id(), image, memory_budget);
  try {
    for (const Link& link : list_links(group.id(), group_name)) {
      if (link.type != H5L_TYPE_HARD) continue;
      H5O_info_t info{};
      require(H5Oget_info_by_name(group.id(), link.name.c_str(), &info, H5P_DEFAULT), "inspect", link.name);
      if (info.type != H5O_TYPE_DATASET) continue;
      step.columns.push_back(growing_column(step, group.id(), link.name, image.ends()));
    }
  } catch (const Error& error) {
    const bool is_reason = error.kind() != ErrorKind::conflict ||
                           std::ranges::none_of(step.fields, [](const GrowingField& f) { return f.defect.empty(); });
    if (is_reason) throw;
    step.columns.clear();
    step.rows = step.chunk_rows = 0;
  }
  return step;
}

void release_open_chunks(hid_t file, const GrowingStep& step, const StepDescription& added) {
  const Handle group = own(H5Gopen2(file, step.group.c_str(), H5P_DEFAULT), "open the step", step.group);
  const hsize_t full = step.rows - step.open_rows();
  for (const GrowingColumn& column : step.columns) {
    if (step.open_rows() == 0 || added.tables.empty()) break;
    const Handle dataset = own(H5Dopen2(group.id(), column.name.c_str(), H5P_DEFAULT), "open the column", column.name);
    require(H5Dset_extent(dataset.id(), &full), "release the last chunk", column.name);
  }
  for (const Field& field : added.fields) {
    const GrowingField& old = step.field(field.name);
    for_each_component(group.id(), field.name, static_cast<std::size_t>(old.components),
                       [&](hid_t dataset, std::size_t) { release_chunks(dataset, old, field.extents); });
  }
}

void extend_step(hid_t file, Image& image, const GrowingStep& step, const StepDescription& added, std::uint64_t rows,
                 const StepChunks& chunks) {
  const Handle group = own(H5Gopen2(file, step.group.c_str(), H5P_DEFAULT), "open the step", step.group);
  const hsize_t length = step.rows + rows;
  for (std::size_t c = 0; !added.tables.empty() && c < added.tables.front().columns.size(); ++c) {
    const std::string& name = added.tables.front().columns[c].name;
    const Handle dataset = own(H5Dopen2(group.id(), name.c_str(), H5P_DEFAULT), "open the column", name);
    // With early allocation fill values may be written here, before the values.
    image.set_dropping(true);
    require(H5Dset_extent(dataset.id(), &length), "extend the column", name);
    image.set_dropping(false);
    index_chunks(dataset.id(), image, step.chunk_rows, step.rows / step.chunk_rows, chunks.lengths[c]);
  }
  for (std::size_t f = 0; f < added.fields.size(); ++f) {
    const GrowingField& old = step.field(added.fields[f].name);
    for_each_component(group.id(), old.name, static_cast<std::size_t>(old.components),
                       [&](hid_t dataset, std::size_t c) {
                         extend_dataset(dataset, old, added.fields[f].extents);
                         enter_chunks(dataset, image, old, added.fields[f].extents, std::nullopt, chunks.of(f, c));
                       });
  }
}

}  // namespace quire::hdf5
