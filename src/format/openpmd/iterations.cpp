#include "format/openpmd/iterations.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/openpmd/records.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

std::optional<std::int64_t> number_of(const std::string& name) {
  std::int64_t number = 0;
  const char* end = name.data() + name.size();
  const auto result = std::from_chars(name.data(), end, number);
  if (name.empty() || number < 0 || result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

Handle group_at(hid_t parent, const std::string& path, Image& image) {
  Handle group(own(H5Gopen2(parent, ".", H5P_DEFAULT), "open a group", path));
  for (std::size_t begin = 0; begin < path.size() && group;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const Link link = find_link(group.id(), path.substr(begin, end - begin));
    group = link.type == H5L_TYPE_ERROR ? Handle() : open_group(group.id(), link, image);
    begin = end + 1;
  }
  return group;
}

std::vector<IterationEntry> list_iterations(hid_t file, Image& image, const SeriesPaths& paths,
                                            std::uint64_t memory_budget, std::vector<std::string>& warnings) {
  std::vector<IterationEntry> entries;
  const Handle base = group_at(file, paths.base, image);
  if (!base) return entries;
  if (!paths.is_numbered) {
    std::vector<std::string> repeated;  // these attributes are read again with the step
    const auto attributes = read_attributes(image, base.id(), memory_budget, repeated);
    const std::vector<double> snapshot = numbers_of(attributes, "snapshot");
    const bool has_number = snapshot.size() == 1 && snapshot.front() >= 0 && snapshot.front() < 0x1p63;
    entries.push_back({has_number ? static_cast<std::int64_t>(snapshot.front()) : 0, ""});
    return entries;
  }
  if (image.is_writable()) require_sound_index(base.id(), paths.base);
  for (const Link& link : list_links(base.id(), paths.base)) {
    if (const auto number = number_of(link.name)) {
      entries.push_back({*number, link.name});
    } else if (!paths.base.empty()) {
      warnings.push_back(paths.base + "/" + link.name + " is left out: it is no iteration");
    }
  }
  std::ranges::stable_sort(entries, {}, &IterationEntry::number);
  const auto same = std::ranges::adjacent_find(entries, {}, &IterationEntry::number);
  if (same != entries.end()) {
    throw Error(ErrorKind::bad_file, "two groups have the number of the same iteration").on(same->name);
  }
  return entries;
}

}  // namespace quire::hdf5
