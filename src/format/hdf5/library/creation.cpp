#include "format/hdf5/library/creation.hpp"

#include "format/hdf5/library/kept_list.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire::hdf5 {
namespace {

Handle create_anonymous(hid_t group, const std::string& name, hid_t type, const std::vector<std::uint64_t>& extents,
                        hid_t creation) {
  const std::vector<hsize_t> shape(extents.begin(), extents.end());
  const Handle space = own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                           "create the shape of a dataset", name);
  return own(H5Dcreate_anon(group, type, space.id(), creation, H5P_DEFAULT), "create the dataset", name);
}

}  // namespace

Handle timeless_creation(hid_t list_class, bool is_in_order) {
  Handle list = own(H5Pcreate(list_class), "create a creation list");
  require(H5Pset_obj_track_times(list.id(), false), "turn off time stamps");
  // HDF5 indexes the attributes of objects whose header is of version 2, which the order requires.
  if (is_in_order) require(H5Pset_attr_creation_order(list.id(), H5P_CRT_ORDER_TRACKED), "record the order");
  return list;
}

Handle new_contiguous_creation() {
  Handle list = timeless_creation(H5P_DATASET_CREATE);
  require(H5Pset_layout(list.id(), H5D_CONTIGUOUS), "set the layout");
  require(H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_EARLY), "set the allocation time");
  require(H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER), "set the fill time");
  return list;
}

Handle contiguous_creation() {
  static KeptList kept("quire: contiguous datasets", new_contiguous_creation);
  return kept.get();
}

Handle group_creation() {
  static KeptList kept("quire: groups", [] { return timeless_creation(H5P_GROUP_CREATE); });
  return kept.get();
}

Handle group_creation(const Image& image) {
  if (image.attribute_index() != AttributeIndex::in_order) return group_creation();
  static KeptList kept("quire: groups in order", [] { return timeless_creation(H5P_GROUP_CREATE, true); });
  return kept.get();
}

Handle create_dataset(hid_t group, const std::string& name, Type type, const std::vector<std::uint64_t>& extents,
                      hid_t creation) {
  return create_anonymous(group, name, native_type(type), extents, creation);
}

Handle create_dataset(hid_t group, const std::string& name, Type type, const PlannedSpace& place,
                      const std::vector<std::uint64_t>& extents, hid_t creation) {
  return create_dataset_of(group, name, native_type(type), place, extents, creation);
}

Handle create_dataset_of(hid_t group, const std::string& name, hid_t type, const PlannedSpace& place,
                         const std::vector<std::uint64_t>& extents, hid_t creation) {
  Handle dataset = create_anonymous(group, name, type, extents, creation);
  if (place.length > 0 && place_of(H5Dget_offset(dataset.id())) != place.offset) {
    throw Error(ErrorKind::internal, "HDF5 put a dataset elsewhere than planned").on(name).at(place.offset);
  }
  return dataset;
}

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

void check_file_space(hid_t file) {
  const Handle creation = own(H5Fget_create_plist(file), "read the file's properties");
  H5F_fspace_strategy_t strategy = H5F_FSPACE_STRATEGY_FSM_AGGR;
  hbool_t persists = false;
  hsize_t threshold = 0;
  require(H5Pget_file_space_strategy(creation.id(), &strategy, &persists, &threshold), "read the file space strategy");
  if (strategy == H5F_FSPACE_STRATEGY_PAGE || persists) {
    throw Error(ErrorKind::unsupported,
                "steps cannot be appended to a file with paged allocation or persistent free space")
        .advise("copy it with h5repack -S FSM_AGGR first");
  }
}

}  // namespace quire::hdf5
