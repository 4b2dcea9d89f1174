#include "format/h5part/recognition.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "format/h5part/attachments.hpp"
#include "format/h5part/meshes.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/open_file.hpp"
#include "format/hdf5/library/recognition.hpp"

namespace quire::hdf5 {
namespace {

/// Whether the file holds only attachments: the first step of a run has not been written yet.
bool holds_attachments_only(OpenFile& file, const std::vector<Link>& links) {
  if (links.size() != 1 || links.front().name != marks::attachments) return false;
  std::vector<std::string> defects;
  const bool has_some = !list_attachments(file.id(), file.image(), defects).empty();
  return has_some && defects.empty();
}

}  // namespace

bool holds_steps_or_nothing(const std::shared_ptr<ByteSource>& bytes) {
  const auto steps_or_nothing = [](OpenFile& file) {
    const std::vector<Link> links = list_links(file.id(), "/");
    return links.empty() || holds_meshes(file) || holds_attachments_only(file, links) ||
           std::ranges::any_of(links, [&](const Link& link) {
             // A column of a plain file may have a name like a step.
             return parse_step_name(link.name) && may_be_group(file.image(), file.id(), link.name);
           });
  };
  return holds(bytes, steps_or_nothing).value_or(true);
}

}  // namespace quire::hdf5
