#include "format/hdf5/planning/field_growth.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "kernels/codec.hpp"
#include "plan/chunk_boxes.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {
namespace {

Error cannot_grow(const std::string& why, const std::string& field) {
  return Error(ErrorKind::conflict, "the field cannot grow: " + why)
      .on(field)
      .advise("write it with chunks (for example field_chunk=16x16x16); its extents are then unlimited");
}

/// The last entries of a list; the preceding ones must be 1.
std::vector<std::uint64_t> last(const std::vector<std::uint64_t>& list, std::size_t axes, const std::string& name) {
  if (axes > list.size()) throw cannot_grow("it has " + std::to_string(list.size()) + " axes in the file", name);
  const auto first = list.end() - static_cast<std::ptrdiff_t>(axes);
  if (std::any_of(list.begin(), first, [](std::uint64_t side) { return side != 1; })) {
    throw cannot_grow("it has " + std::to_string(list.size()) + " axes in the file, give them all", name);
  }
  return {first, list.end()};
}

}  // namespace

std::vector<std::uint64_t> limits_of(hid_t dataset, const std::string& name) {
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  std::array<hsize_t, H5S_MAX_RANK> limits{};
  const int axes = require(H5Sget_simple_extent_dims(space.id(), nullptr, limits.data()), "read the shape", name);
  return {limits.begin(), limits.begin() + axes};
}

std::string allocation_defect(hid_t dataset, const std::string& name, bool is_line) {
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  H5D_alloc_time_t time = H5D_ALLOC_TIME_DEFAULT;
  require(H5Pget_alloc_time(creation.id(), &time), "read the allocation time", name);
  if (time != H5D_ALLOC_TIME_EARLY) return {};
  if (is_line && require(H5Pget_nfilters(creation.id()), "read the filters", name) == 0) return {};
  return "its chunks are allocated early, before they are written";
}

std::string growth_defect(const DatasetDescription& data, hid_t dataset, GrowingField& field) {
  std::string defect = data.type == Type::string ? "it holds texts" : growth_defect(data);
  if (defect.empty()) defect = allocation_defect(dataset, field.name, false);
  if (!defect.empty()) return defect;
  field.limits = limits_of(dataset, field.name);
  if (field.limits == data.run.chunks->extents) return "its extents are limited";
  return {};
}

std::string growth_defect(const DatasetDescription& data) {
  if (data.run.opaque || !data.run.chunks) return "it is not stored in chunks that can be addressed";
  if (data.run.order != native_order || bytes_of(data.run.cells.front()) == 0)
    return "its numbers are not those of this machine";
  for (const Filter& filter : data.run.chunks->filters) {
    if (!kernels::encodes(filter)) {
      return "its chunks go through filter " + std::to_string(filter.number) + ", which is only read";
    }
  }
  return {};
}

GrowingField GrowingField::fresh(const std::string& name, const Field& field, std::vector<std::uint64_t> shape,
                                 std::vector<Filter> filters, std::vector<std::string> paths) {
  GrowingField fresh;
  fresh.name = name;
  fresh.paths = std::move(paths);
  fresh.type = field.type;
  fresh.components = field.components;
  fresh.extents.assign(std::max(shape.size(), field.extents.size()), 1);
  std::fill_n(fresh.extents.rbegin(), field.extents.size(), 0);
  if (shape.empty()) fresh.defect = "it is not stored in chunks";
  fresh.shape = std::move(shape);
  fresh.filters = std::move(filters);
  return fresh;
}

std::vector<std::uint64_t> GrowingField::last_extents(std::size_t axes) const { return last(extents, axes, name); }

std::vector<std::uint64_t> GrowingField::last_shape(std::size_t axes) const { return last(shape, axes, name); }

Chunk GrowingField::chunk(std::size_t component, const std::vector<std::uint64_t>& other_extents,
                          std::uint64_t index) const {
  if (chunks.empty()) return {};
  const std::size_t axes = other_extents.size();
  const std::vector<std::uint64_t> origin = ChunkBoxes(other_extents, last_shape(axes)).origin(index);
  const std::vector<std::uint64_t> old = last_extents(axes);
  std::uint64_t element = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (origin[axis] >= old[axis]) return {};
    element = element * old[axis] + origin[axis];
  }
  const std::uint64_t own = ChunkBoxes(old, last_shape(axes)).find({element, 1, 1}).chunk;
  return chunks.at(component).at(static_cast<std::size_t>(own));
}

void GrowingField::grow(const std::vector<std::uint64_t>& new_extents, std::span<const PlannedSpace> places,
                        std::span<const std::vector<PackedChunk>> added) {
  const std::size_t axes = new_extents.size();
  std::vector<std::uint64_t> grown = extents;
  std::ranges::copy(new_extents, grown.end() - static_cast<std::ptrdiff_t>(axes));
  if (!added.empty() || !chunks.empty()) {
    const std::uint64_t count = ChunkBoxes(grown, shape).chunks();
    std::vector<std::vector<Chunk>> all(static_cast<std::size_t>(components));
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (std::uint64_t index = 0; index < count; ++index) {
        all[c].push_back(chunk(c, new_extents, index));
      }
      for (std::size_t i = 0; c < added.size() && i < added[c].size(); ++i) {
        const PackedChunk& fresh = added[c][i];
        all[c][static_cast<std::size_t>(fresh.index)] = {places[c].offset + fresh.place, fresh.length, 0};
      }
    }
    chunks = std::move(all);
  }
  extents = std::move(grown);
}

GrowingField growing_field(hid_t group, const std::string& name, std::vector<std::string> paths, Image& image,
                           std::uint64_t memory_budget) {
  GrowingField field;
  field.name = name;
  field.components = paths.size();
  field.paths = std::move(paths);
  std::vector<std::string> warnings;
  ChunkScope scope(image, memory_budget, warnings);
  for (const std::string& path : field.paths) {
    const Handle opened = open_dataset(group, path);
    const hid_t dataset = opened.id();
    auto data = describe_dataset(dataset, name, image.ends(), &scope);
    const std::vector<std::uint64_t> limits = field.limits;
    field.defect = data ? growth_defect(*data, dataset, field) : "it holds no numbers";
    if (!field.defect.empty()) return field;
    ChunkedLayout& layout = *data->run.chunks;
    const bool is_first = field.chunks.empty();
    if (!is_first && (layout.extents != field.extents || layout.shape != field.shape || data->type != field.type ||
                      layout.filters != field.filters || limits != field.limits)) {
      field.defect = "its components differ";
      return field;
    }
    field.type = data->type;
    field.extents = layout.extents;
    field.shape = layout.shape;
    field.filters = layout.filters;
    field.chunks.push_back(std::move(layout.chunks));
  }
  return field;
}

Field grown_field(const GrowingField& old, const Field& added) {
  if (!old.defect.empty()) throw cannot_grow(old.defect, added.name);
  if (added.components != old.components) {
    throw cannot_grow("it has " + std::to_string(old.components) + " components", added.name);
  }
  if (!added.attributes.empty() || !added.geometry.is_empty()) {
    throw Error(ErrorKind::conflict, "the field that grows has its attributes already").on(added.name);
  }
  const std::vector<std::uint64_t> extents = old.last_extents(added.extents.size());
  static_cast<void>(old.last_shape(added.extents.size()));
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::uint64_t limit = old.limits.empty() ? no_limit : old.limits[old.limits.size() - extents.size() + axis];
    if (added.extents[axis] > limit) {
      throw cannot_grow("along axis " + std::to_string(axis) + " it is limited to " + std::to_string(limit),
                        added.name);
    }
    if (added.extents[axis] >= extents[axis]) continue;
    throw Error(ErrorKind::conflict, "the field has " + std::to_string(extents[axis]) + " elements along axis " +
                                         std::to_string(axis) + " already, and does not shrink")
        .on(added.name)
        .advise("give the new extents of the whole field");
  }
  Field field = added;
  field.type = old.type;
  return field;
}

namespace {

/// The new extents of the dataset in the file, which may have more axes than the field.
std::vector<std::uint64_t> extended_extents(const GrowingField& old, const std::vector<std::uint64_t>& new_extents) {
  std::vector<std::uint64_t> extents = old.extents;
  std::ranges::copy(new_extents, extents.end() - static_cast<std::ptrdiff_t>(new_extents.size()));
  return extents;
}

/// The axis of components, if the dataset has one, keeps its extent.
void set_extents(hid_t dataset, const GrowingField& field, const std::vector<std::uint64_t>& extents) {
  std::vector<hsize_t> all;
  if (field.is_joined()) all.push_back(field.components);
  all.insert(all.end(), extents.begin(), extents.end());
  require(H5Dset_extent(dataset, all.data()), "change the extents", field.name);
}

}  // namespace

void release_chunks(hid_t group, const GrowingField& old, const std::vector<std::uint64_t>& new_extents) {
  const std::vector<std::uint64_t> wanted = extended_extents(old, new_extents);
  std::vector<std::uint64_t> kept = old.extents;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (wanted[axis] > kept[axis]) kept[axis] -= kept[axis] % old.shape[axis];
  }
  for (const std::string& path : old.paths) set_extents(open_dataset(group, path).id(), old, kept);
}

void extend_field(hid_t group, Image& image, const GrowingField& old, const std::vector<std::uint64_t>& new_extents,
                  std::span<const std::vector<PackedChunk>> chunks) {
  const std::vector<std::uint64_t> extents = extended_extents(old, new_extents);
  const auto enter = [&](hid_t dataset, std::size_t c, std::optional<std::uint64_t> component) {
    if (c < chunks.size()) index_chunks(dataset, image, extents, old.shape, component, chunks[c]);
  };
  for (std::size_t d = 0; d < old.paths.size(); ++d) {
    const Handle dataset = open_dataset(group, old.paths[d]);
    set_extents(dataset.id(), old, extents);
    if (!old.is_joined()) enter(dataset.id(), d, std::nullopt);
    for (std::size_t c = 0; old.is_joined() && c < old.components; ++c) enter(dataset.id(), c, c);
  }
}

}  // namespace quire::hdf5
