#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/block.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::nektar {

/// The contents of the start tag of an ELEMENTS element.
struct XmlBlock : Block {
  RangeList ids;
  std::vector<std::uint64_t> mixed_modes;  ///< of all elements, one element after another, if they differ
  ByteOrder order = ByteOrder::little;
};

/// Parses a start tag. Its values are checked against each other and against the size that `payload` characters of text
/// can have. Throws bad_file errors that name the attribute; adds unknown attributes to `warnings`.
[[nodiscard]] XmlBlock parse_tag(std::string_view tag, std::uint64_t payload, std::vector<std::string>& warnings);

/// The value of an attribute of a start tag. Throws bad_file errors if it is missing.
[[nodiscard]] std::string attribute_of_tag(std::string_view tag, const std::string& name);

}  // namespace quire::nektar
