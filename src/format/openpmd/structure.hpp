#pragma once

#include <hdf5.h>

#include <string>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/planning/layout.hpp"
#include "format/openpmd/names.hpp"

namespace quire::hdf5 {

/// Creates the group of an iteration with its species, meshes and attributes, in the order of the description: first
/// tables, then fields.
void write_iteration(const NewStep& step, const SeriesPaths& paths);

/// The group with this path from the root, which is created with those above it if it does not exist.
[[nodiscard]] Handle require_group(hid_t parent, const std::string& path);

}  // namespace quire::hdf5
