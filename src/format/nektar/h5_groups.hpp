#pragma once

#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/nektar/type_names.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// Makes the group NEKTAR with its version and the metadata, and returns it open. Texts are what the reference reads:
/// of any length, ASCII, with NUL (specs/nektar-fld.md section 5.1).
[[nodiscard]] h5::Handle create_root(hid_t file, const std::vector<Attribute>& metadata);

/// Makes the group of a kind of blocks.
void create_type(hid_t root, const TypeGroup& group);

}  // namespace quire::nektar
