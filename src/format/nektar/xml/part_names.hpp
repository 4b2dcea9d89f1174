#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire::nektar {

/// The names of the index of a directory; the second was used for a few days in 2013.
inline constexpr std::array<std::string_view, 2> index_names{"Info.xml", "PartitionInfo.xml"};

/// Whether the name of a file is that of the part of a rank. Early writers left out the leading zeros.
[[nodiscard]] bool is_part_name(std::string_view name);

/// The names of the parts among the files of a directory, in the order of the ranks.
[[nodiscard]] std::vector<std::string> part_names(std::span<const std::string> names);

}  // namespace quire::nektar
