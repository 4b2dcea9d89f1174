#include "format/h5part/growth.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "format/h5part/field_plan.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/types.hpp"
#include "kernels/codec.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

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
void take_shape(GrowingTable& table, hid_t dataset, hid_t creation, const std::string& column, bool is_first) {
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
  if (!is_first && (rows != table.rows || chunk != table.chunk_rows)) {
    throw cannot_grow("its length or chunk size is not that of the other columns", column);
  }
  table.rows = rows;
  table.chunk_rows = chunk;
}

GrowingColumn growing_column(GrowingTable& table, hid_t group, const std::string& name, const FileEnds& ends) {
  const Handle dataset = own(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open the column", name);
  const Handle creation = own(H5Dget_create_plist(dataset.id()), "read the layout", name);
  take_shape(table, dataset.id(), creation.id(), name, table.columns.empty());
  const std::string defect = allocation_defect(dataset.id(), name, true);
  if (!defect.empty()) throw cannot_grow(defect, name);
  const Handle type = own(H5Dget_type(dataset.id()), "read the type", name);
  const auto stored = stored_type(type.id());
  GrowingColumn column{.name = name, .type = Type::string, .filters = filters_of(creation.id(), name), .last = {}};
  if (stored && stored->type == Type::string) {
    const std::string defect_of_type = defect_of_texts(type.id());
    if (!defect_of_type.empty()) throw cannot_grow(defect_of_type, name);
    column.text_bytes = bytes_of_texts(type.id());
  } else if (stored && stored->direct == native_order) {
    column.type = stored->type;
  } else {
    throw cannot_grow("its numbers are not those of this machine", name);
  }
  const std::uint64_t width = std::max<std::uint64_t>(size_of(column.type), column.text_bytes);
  if (table.chunk_rows > largest_chunk / width) throw cannot_grow("its chunks are too large", name);
  if (table.open_rows() == 0) return column;
  const hsize_t first = table.rows - table.open_rows();
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

std::vector<GrowingField> growing_fields(hid_t step, Image& image, std::uint64_t memory_budget) {
  std::vector<GrowingField> fields;
  if (!has_link(step, block_name)) return fields;
  const Handle block = own(H5Gopen2(step, block_name, H5P_DEFAULT), "open the fields");
  for (const Link& link : list_links(block.id(), block_name)) {
    const Handle group(H5Gopen2(block.id(), link.name.c_str(), H5P_DEFAULT));
    if (!group) continue;
    std::vector<std::string> paths;
    for (const Link& component : list_links(group.id(), link.name)) {
      paths.push_back(std::string(block_name) + "/" + link.name + "/" + component.name);
    }
    fields.push_back(growing_field(step, link.name, std::move(paths), image, memory_budget));
  }
  return fields;
}

}  // namespace

GrowingStep fresh_step(const StepDescription& step, const std::string& group, const Chunking& chunking) {
  GrowingStep fresh;
  fresh.number = step.number;
  fresh.group = group;
  GrowingTable& table = fresh.tables.emplace_back();
  table.chunk_rows = chunking.rows();
  if (table.chunk_rows != 0 && !step.tables.empty()) {
    for (const Column& column : step.tables.front().columns) {
      table.columns.push_back({column.name, column.type, 0, chunking.pipeline(column.type), {}});
    }
  }
  for (const Field& field : step.fields) {
    std::vector<std::uint64_t> shape = chunking.field_shape(field);
    if (!shape.empty()) shape = block_shape(std::move(shape));
    std::vector<std::string> paths;
    for (std::size_t c = 0; c < field.components; ++c) paths.push_back(component_path(field.name, c));
    fresh.fields.push_back(
        GrowingField::fresh(field.name, field, std::move(shape), chunking.pipeline(field.type), std::move(paths)));
  }
  return fresh;
}

GrowingStep growing_step(hid_t file, std::int64_t number, const std::string& group_name, Image& image,
                         std::uint64_t memory_budget) {
  GrowingStep step;
  step.number = number;
  step.group = group_name;
  GrowingTable& table = step.tables.emplace_back();
  const Handle group = own(H5Gopen2(file, group_name.c_str(), H5P_DEFAULT), "open the step", group_name);
  step.fields = growing_fields(group.id(), image, memory_budget);
  try {
    for (const Link& link : list_links(group.id(), group_name)) {
      if (link.type != H5L_TYPE_HARD) continue;
      H5O_info_t info{};
      require(H5Oget_info_by_name(group.id(), link.name.c_str(), &info, H5P_DEFAULT), "inspect", link.name);
      if (info.type != H5O_TYPE_DATASET) continue;
      table.columns.push_back(growing_column(table, group.id(), link.name, image.ends()));
    }
  } catch (const Error& error) {
    const bool is_reason = error.kind() != ErrorKind::conflict ||
                           std::ranges::none_of(step.fields, [](const GrowingField& f) { return f.defect.empty(); });
    if (is_reason) throw;
    table = {};
  }
  return step;
}

}  // namespace quire::hdf5
