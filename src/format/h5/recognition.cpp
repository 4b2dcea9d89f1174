#include "format/h5/recognition.hpp"

#include <algorithm>

#include "format/h5/attachments.hpp"
#include "format/h5/links.hpp"
#include "format/h5/meshes.hpp"
#include "format/h5/names.hpp"
#include "format/h5/open_file.hpp"
#include "format/h5/snapshot.hpp"

namespace quire::h5 {
namespace {

/// Limits the size of a journal that is read before the format of the file is known.
constexpr std::uint64_t look_budget = std::uint64_t{64} << 20;

/// Whether the file holds only attachments: the first step of a run has not been written yet.
bool holds_attachments_only(OpenFile& file, const std::vector<Link>& links) {
  if (links.size() != 1 || links.front().name != attachment_group) return false;
  std::vector<std::string> defects;
  const bool has_some = !list_attachments(file.id(), file.image(), defects).empty();
  return has_some && defects.empty();
}

}  // namespace

bool has_signature(std::span<const std::byte> head) {
  const auto read = [head](std::uint64_t offset, std::span<std::byte> out) -> std::size_t {
    const auto rest = head.subspan(std::min<std::size_t>(offset, head.size()));
    const auto part = rest.first(std::min(rest.size(), out.size()));
    std::ranges::copy(part, out.begin());
    return part.size();
  };
  return find_signature(read, head.size()).has_value();
}

std::optional<bool> holds(const std::shared_ptr<ByteSource>& bytes, const std::function<bool(OpenFile&)>& what) {
  try {
    const auto snapshot = std::make_shared<Snapshot>(bytes, look_budget);
    bool answer = false;
    snapshot->look([&] {
      // A truncated file may still be recognized; its reader reports that it is truncated.
      OpenFile file(snapshot, look_budget, true);
      answer = with_hdf5(file.image(), [&] { return what(file); });
    });
    return answer;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file && error.kind() != ErrorKind::memory) throw;
    return std::nullopt;
  }
}

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

}  // namespace quire::h5
