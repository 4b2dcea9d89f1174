#include "format/h5part/mesh_layout.hpp"

#include <map>

#include "format/h5part/acceptance.hpp"
#include "format/h5part/mesh_tables.hpp"
#include "format/h5part/meshes.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

/// The type of a member: a number, or an array of numbers.
Handle member_type(Type type, std::size_t elements) {
  if (elements == 1) return own(H5Tcopy(native_type(type)), "copy a type");
  const hsize_t extent = elements;
  return own(H5Tarray_create2(native_type(type), 1, &extent), "create the type of an array");
}

/// The type of the records of a table, whose members follow one another without holes.
Handle record_type(const Table& table) {
  const std::vector<MeshMember> members = mesh_members(table.name);
  if (members.front().name.empty()) return member_type(table.columns.front().type, 1);
  std::size_t bytes = 0;
  for (const Column& column : table.columns) bytes += static_cast<std::size_t>(size_of(column.type));
  Handle record = own(H5Tcreate(H5T_COMPOUND, bytes), "create the type of records", table.name);
  std::size_t offset = 0;
  std::size_t column = 0;
  for (const MeshMember& member : members) {
    const Handle type = member_type(table.columns[column].type, member.columns.size());
    require(H5Tinsert(record.id(), member.name.c_str(), offset, type.id()), "add a member", table.name);
    for (std::size_t i = 0; i < member.columns.size(); ++i) {
      offset += static_cast<std::size_t>(size_of(table.columns[column++].type));
    }
  }
  return record;
}

/// The groups of meshes and tag sets, created on request below the group of all meshes.
class Groups {
 public:
  explicit Groups(hid_t top) : top_(top) {}

  hid_t at(const std::string& path) {
    if (path.empty()) return top_;
    const auto known = groups_.find(path);
    if (known != groups_.end()) return known->second.id();
    const hid_t parent = at(parent_of(path));
    const Handle creation = group_creation();
    const std::string name = hdf5::name_of(path);
    Handle group =
        own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create a group", path);
    return groups_.emplace(path, std::move(group)).first->second.id();
  }

 private:
  hid_t top_;
  std::map<std::string, Handle, std::less<>> groups_;
};

}  // namespace

MeshLayout::MeshLayout(const CheckedOptions& options) {
  for (const char* name : {"chunk", "field_chunk", "filter", "grow", "existing", "step_name", "step_width"}) {
    if (options.given(name)) {
      throw Error(ErrorKind::usage, "meshes are written without chunks and steps").on(name);
    }
  }
}

std::vector<Attribute> MeshLayout::accept_file(const FileDescription& file) const {
  return hdf5::accept_file(file, {}).attributes;
}

void MeshLayout::check_new(std::int64_t /*number*/, bool is_first) const {
  if (!is_first) throw Error(ErrorKind::unsupported, "the meshes of a file are written together, as one step");
}

StepDescription MeshLayout::accept(const StepDescription& step, const std::vector<Attribute>& /*pending*/,
                                   bool lossy) const {
  return accept_meshes(step, lossy);
}

Resumed MeshLayout::resume(FileWriter& /*writer*/, const OpenExisting& /*open*/, std::optional<std::int64_t> /*after*/,
                           bool /*drop*/) {
  throw Error(ErrorKind::unsupported, "meshes are not added to a file that exists").advise("write a new file");
}

void MeshLayout::write_file(hid_t file, const std::vector<Attribute>& attributes,
                            const StepDescription& /*step*/) const {
  for (const Attribute& attribute : attributes) write_attribute(file, attribute.name, attribute.value);
}

std::vector<std::string> MeshLayout::create(const NewStep& step) {
  step.image.set_cold(true);
  const Handle creation = group_creation();
  const Handle top = own(H5Gcreate_anon(step.file, creation.id(), H5P_DEFAULT), "create the meshes");
  {
    Groups groups(top.id());
    const Handle contiguous = contiguous_creation();
    for (std::size_t t = 0; t < step.step.tables.size(); ++t) {
      const Table& table = step.step.tables[t];
      const hid_t group = groups.at(parent_of(table.name));
      const std::string name = hdf5::name_of(table.name);
      const Handle type = record_type(table);
      const Handle dataset =
          create_dataset_of(group, name, type.id(), step.plan.tables[t].front(), {step.plan.rows[t]}, contiguous.id());
      require(H5Olink(dataset.id(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link a dataset", table.name);
    }
    for (const Attribute& attribute : step.step.attributes) {
      const std::string name = hdf5::name_of(attribute.name);
      write_attribute(groups.at(parent_of(attribute.name)), name, attribute.value);
    }
  }
  end_cold(step.file, step.image);
  require(H5Olink(top.id(), step.file, marks::meshes, H5P_DEFAULT, H5P_DEFAULT), "link the meshes");
  return {};
}

}  // namespace quire::hdf5
