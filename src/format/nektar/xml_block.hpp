#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/block.hpp"
#include "quire/base/endian.hpp"

namespace quire::nektar {

/// What the start tag of an ELEMENTS element says.
struct XmlBlock : Block {
  RangeList ids;
  std::vector<std::uint64_t> mixed_modes;  ///< of all elements, one behind the other, if they differ
  ByteOrder order = ByteOrder::little;
};

/// Reads a start tag: all that it says is checked, against itself and against what `payload` characters of text can
/// hold. Throws bad_file errors that name the attribute; attributes that nobody knows are told in `warnings`.
[[nodiscard]] XmlBlock parse_tag(std::string_view tag, std::uint64_t payload, std::vector<std::string>& warnings);

/// One attribute of a start tag. Throws bad_file errors if it is not there.
[[nodiscard]] std::string attribute_of_tag(std::string_view tag, const std::string& name);

}  // namespace quire::nektar
