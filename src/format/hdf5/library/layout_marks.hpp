#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "quire/model/type.hpp"

namespace quire::hdf5 {

/// What the root of an HDF5 file has if it belongs to one of the layouts: readers recognise files by it, and no other
/// layout may write it.
namespace marks {
/// A group of meshes of H5Fed is in this group of the root.
inline constexpr const char* meshes = "Topo";
inline constexpr std::array mesh_kinds{"TetMeshes", "TriangleMeshes"};
/// A file of H5Part with attachments and no step has only this group.
inline constexpr const char* attachments = "Attachment";
/// Any object of this name in Nektar++.
inline constexpr const char* nektar = "NEKTAR";
/// The attribute with the version of the openPMD standard.
inline constexpr const char* openpmd = "openPMD";
}  // namespace marks

/// The name of the group of a step of H5Part, `prefix#number`, parsed.
struct StepName {
  std::string_view prefix;
  std::string_view digits;  ///< with the sign
  std::int64_t number = 0;
};
[[nodiscard]] std::optional<StepName> parse_step_name(std::string_view name);

/// Why a file with a dataset of this path would be read as one of another layout, or an empty text. Attachments are a
/// mark only if there is nothing else: see may_be_attachment().
[[nodiscard]] std::string mark_of_path(std::string_view path);
/// The same of an attribute of the root.
[[nodiscard]] std::string mark_of_attribute(std::string_view name);
/// Whether a one-dimensional dataset of this path and type may be an attachment of H5Part.
[[nodiscard]] bool may_be_attachment(std::string_view path, Type type);

}  // namespace quire::hdf5
