#include "format/h5/phdf5/attaching.hpp"

#include <string>
#include <utility>

#include "format/h5/hdf5.hpp"
#include "format/h5/structure.hpp"
#include "format/h5/types.hpp"
#include "quire/base/archive.hpp"

namespace quire::h5 {
namespace {

/// What all ranks need to know of the attachments of a publication.
struct Notice {
  std::vector<std::string> made;
  std::vector<std::uint64_t> sizes;  ///< of those
  std::vector<std::string> dropped;
  template <class Archive>
  void archive(Archive& a) {
    a(made, sizes, dropped);
  }
};

Notice notice_of(const AttachmentChanges& changes) {
  Notice notice;
  for (const auto& [name, bytes] : changes.all()) {
    if (changes.is_in_file(name)) notice.dropped.push_back(name);
    if (!bytes) continue;
    notice.made.push_back(name);
    notice.sizes.push_back(bytes->size());
  }
  return notice;
}

Handle group_of_attachments(hid_t file) {
  if (require(H5Lexists(file, attachment_group, H5P_DEFAULT), "look for the attachments", attachment_group) > 0) {
    return own(H5Gopen2(file, attachment_group, H5P_DEFAULT), "open the attachments", attachment_group);
  }
  const Handle creation = group_creation();
  return own(H5Gcreate2(file, attachment_group, H5P_DEFAULT, creation.id(), H5P_DEFAULT),
             "create the group of attachments", attachment_group);
}

}  // namespace

void write_attachments(hid_t file, const AttachmentChanges& changes, const LayoutRanks& ranks) {
  std::vector<std::byte> message;
  if (ranks.is_root && !changes.empty()) message = pack(notice_of(changes));
  ranks.share(message);
  if (message.empty()) return;
  const auto notice = unpack<Notice>(message);
  const Handle group = group_of_attachments(file);
  std::vector<Handle> made;
  for (std::size_t i = 0; i < notice.made.size(); ++i) {
    made.push_back(
        create_dataset(group.id(), notice.made[i], Type::int8, {notice.sizes[i]}, contiguous_creation().id()));
  }
  for (const std::string& name : notice.dropped) {
    require(H5Ldelete(group.id(), name.c_str(), H5P_DEFAULT), "drop the attachment", name);
  }
  for (std::size_t i = 0; i < notice.made.size(); ++i) {
    require(H5Olink(made[i].id(), group.id(), notice.made[i].c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the attachment",
            notice.made[i]);
    if (!ranks.is_root || notice.sizes[i] == 0) continue;
    const std::vector<std::byte>& bytes = *changes.all().at(notice.made[i]);
    require(H5Dwrite(made[i].id(), native_type(Type::int8), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
            "write the attachment", notice.made[i]);
  }
}

}  // namespace quire::h5
