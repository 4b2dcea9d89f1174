#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/spi/format/fit.hpp"

namespace quire::hdf5 {

/// A member of the records of a mesh, or the value of a tag, and the columns with its elements.
struct MeshMember {
  std::string name;
  Type type = Type::int64;
  std::vector<std::string> columns;  ///< several: the member is an array
};

/// The members of the records that a table of this name contains (specs/h5part.md sections 6.1 and 6.4), in the order
/// of its columns; none if it is not a table of a mesh. The tables of meshes are named as Meshes names them.
[[nodiscard]] std::vector<MeshMember> mesh_members(const std::string& table);

/// The part of a path before its last slash; empty without a slash.
[[nodiscard]] std::string parent_of(const std::string& path);
/// The part after it; without a slash the whole path.
[[nodiscard]] std::string name_of(const std::string& path);

/// Returns the meshes of a step as they are stored: columns in the types of their members, attributes that belong to
/// partitioned meshes with the values of plain ones. Throws usage, unsupported and type errors for tables, fields and
/// attributes that are not those of complete meshes.
[[nodiscard]] StepDescription accept_meshes(const StepDescription& step, bool lossy);

/// The meshes of a step, with a sentence for everything that is lost.
[[nodiscard]] Fit fit_meshes(const StepDescription& step);

}  // namespace quire::hdf5
