#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire::nektar {

/// What the index of a directory is called; the second one for a few days of 2013.
inline constexpr std::array<std::string_view, 2> index_names{"Info.xml", "PartitionInfo.xml"};

/// Whether a file is named as one that holds the elements of a rank. Early writers left out the leading zeros.
[[nodiscard]] bool is_part_name(std::string_view name);

/// Of the files in a directory, by their names, those that hold the elements of one rank each, in the order of the
/// ranks.
[[nodiscard]] std::vector<std::string> part_names(std::span<const std::string> names);

}  // namespace quire::nektar
