#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/xml/cuts.hpp"
#include "quire/model/description.hpp"

namespace quire::nektar {

/// The numbers of the elements of one block, in columns: ids and, if mixed, the modes of each direction.
using ElementNumbers = std::vector<std::vector<std::uint32_t>>;

/// The first line and the start tag of the root, with the metadata.
[[nodiscard]] std::string opening_text(const std::vector<Attribute>& metadata);
[[nodiscard]] std::string closing_text();

/// The text before the values of some elements of a block (specs/nektar-fld.md section 3). `table` is the table of
/// coefficients.
[[nodiscard]] std::string start_tag(const Table& table, const ElementNumbers& numbers, const Cut& cut);
[[nodiscard]] std::string_view end_tag();

}  // namespace quire::nektar
