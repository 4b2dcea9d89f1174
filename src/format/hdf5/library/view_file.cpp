#include "quire/format/view_file.hpp"

#include <algorithm>
#include <numeric>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/file_writer.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire {
namespace {

using namespace hdf5;

using Extents = std::vector<std::uint64_t>;

constexpr std::uint64_t chunk_elements = std::uint64_t{1} << 16;
constexpr unsigned deflate_level = 6;

std::vector<hsize_t> native(const Extents& extents) { return {extents.begin(), extents.end()}; }

Handle space_of(const Extents& extents, const std::string& name) {
  const std::vector<hsize_t> shape = native(extents);
  return own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "create a shape", name);
}

std::uint64_t elements_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies{});
}

/// Creates a dataset at its path. `creation` may be changed by the caller before.
Handle create_at(hid_t file, const std::string& path, hid_t type, const Extents& extents, hid_t creation) {
  const Handle space = space_of(extents, path);
  return own(H5Dcreate2(file, path.c_str(), type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT), "create the dataset",
             path);
}

/// Creation properties of datasets whose values are in this file: in compressed chunks unless they are few.
Handle stored_creation(const Extents& extents) {
  Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), "create a creation list");
  require(H5Pset_obj_track_times(creation.id(), false), "turn off time stamps");
  if (extents.empty() || elements_of(extents) <= chunk_elements || H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0) {
    return creation;
  }
  std::vector<hsize_t> chunk = native(extents);
  std::uint64_t rest = chunk_elements;
  for (auto axis = chunk.rbegin(); axis != chunk.rend(); ++axis) {
    *axis = std::clamp<hsize_t>(*axis, 1, std::max<std::uint64_t>(rest, 1));
    rest /= *axis;
  }
  require(H5Pset_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()), "set the chunks");
  require(H5Pset_shuffle(creation.id()), "set a filter");
  require(H5Pset_deflate(creation.id(), deflate_level), "set a filter");
  return creation;
}

void write_values(hid_t file, const std::string& path, const Value& value) {
  const Handle creation = stored_creation(value.shape());
  const hid_t type = native_type(value.type());
  const Handle dataset = create_at(file, path, type, value.shape(), creation.id());
  if (value.count() == 0) return;
  require(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.bytes().data()), "write values", path);
}

void write_count(hid_t file, const std::string& path, std::uint64_t count) {
  const Extents extents{count};
  const Handle creation = stored_creation(extents);
  const Handle dataset = create_at(file, path, H5T_NATIVE_INT64, extents, creation.id());
  std::vector<std::int64_t> block;
  for (hsize_t first = 0; first < count; first += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(16 * chunk_elements, count - first)));
    std::iota(block.begin(), block.end(), static_cast<std::int64_t>(first));
    const hsize_t length = block.size();
    const Handle memory = space_of({block.size()}, path);
    const Handle place = space_of(extents, path);
    require(H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, &first, nullptr, &length, nullptr), "select values", path);
    require(H5Dwrite(dataset.id(), H5T_NATIVE_INT64, memory.id(), place.id(), H5P_DEFAULT, block.data()),
            "write values", path);
  }
}

void require_fit(const ViewDataset& view, const ViewPiece& piece) {
  bool fits = piece.start.size() == view.extents.size() && piece.count.size() == view.extents.size() &&
              elements_of(piece.count) == elements_of(piece.extents);
  for (std::size_t axis = 0; fits && axis < view.extents.size(); ++axis) {
    fits = piece.count[axis] > 0 && piece.start[axis] <= view.extents[axis] &&
           piece.count[axis] <= view.extents[axis] - piece.start[axis];
  }
  if (!fits) throw Error(ErrorKind::usage, "the dataset " + piece.path + " does not fit its place").on(view.path);
}

void create_view(hid_t file, const ViewDataset& view) {
  const Handle creation = own(H5Pcreate(H5P_DATASET_CREATE), "create a creation list");
  require(H5Pset_obj_track_times(creation.id(), false), "turn off time stamps");
  if (is_floating(view.type)) {
    require(H5Pset_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &view.fill), "set a fill value", view.path);
  }
  const Handle place = space_of(view.extents, view.path);
  for (const ViewPiece& piece : view.pieces) {
    require_fit(view, piece);
    const std::vector<hsize_t> start = native(piece.start);
    const std::vector<hsize_t> count = native(piece.count);
    require(H5Sselect_hyperslab(place.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
            "select the place of a piece", view.path);
    const Handle source = space_of(piece.extents, piece.path);
    require(H5Pset_virtual(creation.id(), place.id(), piece.file.c_str(), piece.path.c_str(), source.id()),
            "refer to a dataset", piece.path);
  }
  [[maybe_unused]] const Handle made = create_at(file, view.path, native_type(view.type), view.extents, creation.id());
}

void fill(hid_t file, const ViewFile& content) {
  const Handle grouping = own(H5Pcreate(H5P_GROUP_CREATE), "create a creation list");
  require(H5Pset_obj_track_times(grouping.id(), false), "turn off time stamps");
  // Some readers want the members in this order.
  require(H5Pset_link_creation_order(grouping.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "keep the order of members");
  for (const std::string& path : content.groups) {
    [[maybe_unused]] const Handle group =
        own(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, grouping.id(), H5P_DEFAULT), "create a group", path);
  }
  for (const auto& [path, name, value] : content.attributes) {
    const Handle object = own(H5Oopen(file, path.c_str(), H5P_DEFAULT), "open an object", path);
    write_attribute(object.id(), name, value, Scalars::as_such);
  }
  for (const auto& [path, value] : content.values) write_values(file, path, value);
  for (const auto& [path, count] : content.counts) write_count(file, path, count);
  for (const ViewDataset& view : content.views) create_view(file, view);
}

}  // namespace

std::vector<std::byte> view_file_bytes(const ViewFile& file) {
  FileWriter writer(LibraryVersion::v110);
  // Values are few and stored with the metadata.
  writer.image().set_heap(true);
  return writer.whole_file([&](hid_t opened) { fill(opened, file); });
}

}  // namespace quire
