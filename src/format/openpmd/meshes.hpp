#pragma once

#include "format/openpmd/species.hpp"

namespace quire::hdf5 {

/// The attribute with the names of the components of a field, if they are not usual_components().
inline constexpr std::string_view component_labels = "componentLabels";

/// The attributes of a mesh with which a writer describes a field, in the order in which they are written. They follow
/// from its geometry and are replaced by attributes of the field. Their lists have the order of the axes.
[[nodiscard]] std::vector<Attribute> mesh_presets(const Field& field);
/// The same for `position`, which is an attribute of components.
[[nodiscard]] Attribute position_preset(const Field& field);

/// Adds meshes to a step. A mesh is a field if its components have one type, shape and unit; otherwise each component
/// is a field, such as E/x. The modes of meshes in cylindrical geometry (thetaMode) are the components of a field, and
/// so are the parts of complex numbers.
void describe_mesh(Record record, ChunkScope& chunks, StepLayout& step, OpaqueObjects& opaque);

}  // namespace quire::hdf5
