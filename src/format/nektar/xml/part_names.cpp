#include "format/nektar/xml/part_names.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quire::nektar {

bool is_part_name(std::string_view name) {
  constexpr std::string_view end = ".fld";
  if (name.size() <= 1 + end.size() || name.front() != 'P' || !name.ends_with(end)) return false;
  return std::ranges::all_of(name.substr(1, name.size() - 1 - end.size()), [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> part_names(std::span<const std::string> names) {
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), is_part_name);
  // Names without leading zeros are shorter for lower ranks.
  std::ranges::sort(found, {}, [](const std::string& name) { return std::pair(name.size(), name); });
  return found;
}

}  // namespace quire::nektar
