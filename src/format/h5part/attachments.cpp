#include "format/h5part/attachments.hpp"

#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/links.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t attachment_alignment = 8;

/// The largest compression ratio of deflate (zlib, "maximum compression factor"), and the size that is always allowed
/// to be unwritten: a chunked dataset that was never written can claim any size.
constexpr std::uint64_t most_per_byte = 1032;
constexpr std::uint64_t always_allowed = 64 << 20;

bool is_possible(std::uint64_t bytes, std::uint64_t file_size) {
  return bytes <= always_allowed || bytes / most_per_byte <= file_size;
}

bool is_bytes(const DatasetDescription& data) {
  return data.extents.size() == 1 && (data.type == Type::int8 || data.type == Type::uint8);
}

Handle open_attachments(hid_t file, Image& image) {
  check_before_opening(image, file, marks::attachments);
  Handle object(H5Oopen(file, marks::attachments, H5P_DEFAULT));
  if (!object) image.rethrow_failure();
  if (!object) throw hdf5_error("open their group", marks::attachments);
  if (H5Iget_type(object.id()) != H5I_GROUP) {
    throw Error(ErrorKind::bad_file, std::string(marks::attachments) + " is not a group");
  }
  return object;
}

}  // namespace

std::vector<Attachment> list_attachments(hid_t file, Image& image, std::vector<std::string>& warnings,
                                         std::vector<std::string>* attributes) {
  std::vector<Attachment> attachments;
  if (!has_link(file, marks::attachments)) return attachments;
  const FileEnds ends = image.ends();
  Handle group;
  std::vector<Link> links;
  try {
    group = open_attachments(file, image);
    links = list_links(group.id(), marks::attachments);
  } catch (const Error& error) {
    warnings.push_back("the attachments are left out: " + error.message());
    return attachments;
  }
  for (const Link& link : links) {
    try {
      const std::string why = why_left_out(image, link);
      if (!why.empty()) throw Error(ErrorKind::unsupported, why);
      const Handle dataset(H5Dopen2(group.id(), link.name.c_str(), H5P_DEFAULT));
      if (!dataset) image.rethrow_failure();
      const auto data = dataset ? describe_dataset(dataset.id(), link.name, ends) : std::nullopt;
      if (data && is_bytes(*data) && !is_possible(data->extents.front(), ends.longest())) {
        warnings.push_back("the attachment " + link.name + " is left out: the file is too small for the " +
                           std::to_string(data->extents.front()) + " bytes that it claims");
        continue;
      }
      if (data && is_bytes(*data)) {
        if (attributes != nullptr) name_attributes(image, dataset.id(), link.name, *attributes);
        attachments.push_back({link.name, data->extents.front()});
        continue;
      }
      warnings.push_back("the attachment " + link.name + " is left out: it is not a one-dimensional array of bytes");
    } catch (const Error& error) {
      warnings.push_back("the attachment " + link.name + " is left out: " + error.message());
    }
  }
  return attachments;
}

void read_attachment(hid_t file, const std::string& name, std::uint64_t offset, std::span<std::byte> out,
                     std::uint64_t memory_budget) {
  const Handle group = own(H5Gopen2(file, marks::attachments, H5P_DEFAULT), "open the attachments", marks::attachments);
  const Handle dataset = own(H5Dopen2(group.id(), name.c_str(), H5P_DEFAULT), "open the attachment", name);
  const auto data = describe_dataset(dataset.id(), name, {.first = HADDR_MAX, .raw = HADDR_MAX});
  if (!data || !is_bytes(*data))
    throw Error(ErrorKind::bad_file, "the attachment is not a one-dimensional array of bytes").on(name);
  const View view(data->type, out.data(), out.size(), 1);
  read_dataset(dataset.id(), name, data->type, {offset, out.size()}, view, memory_budget);
}

void AttachmentChanges::change(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace) {
  check_attachment_name(name);
  const auto pending = changes_.find(name);
  const bool exists = pending != changes_.end() ? pending->second.has_value() : names_.contains(name);
  if (!bytes && !exists) throw Error(ErrorKind::missing, "there is no attachment of this name").on(name);
  if (bytes && exists && !replace) {
    throw Error(ErrorKind::conflict, "there is an attachment of this name already")
        .on(name)
        .advise("choose another name, or ask to replace it");
  }
  if (!bytes && !names_.contains(name)) {
    changes_.erase(name);
  } else {
    changes_[name] = std::move(bytes);
  }
}

std::vector<PlannedSpace> AttachmentChanges::lay_out(std::uint64_t first) const {
  std::vector<PlannedSpace> places;
  for (const auto& [name, bytes] : changes_) {
    if (!bytes) continue;
    first = round_up(first, attachment_alignment);
    places.push_back({first, bytes->size()});
    first = checked_add(first, bytes->size());
  }
  return places;
}

void AttachmentChanges::write(hid_t file, const std::vector<PlannedSpace>& places) const {
  if (changes_.empty()) return;
  if (!has_link(file, marks::attachments)) {
    const Handle creation = group_creation();
    const Handle made = own(H5Gcreate2(file, marks::attachments, H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                            "create the group of attachments", marks::attachments);
  }
  const Handle group = own(H5Gopen2(file, marks::attachments, H5P_DEFAULT), "open the attachments", marks::attachments);
  // New datasets are created before others are dropped; otherwise the library would reuse their space.
  std::vector<std::pair<std::string, Handle>> made;
  for (const auto& [name, bytes] : changes_) {
    if (!bytes) continue;
    made.emplace_back(name, create_dataset(group.id(), name, Type::int8, places.at(made.size()), {bytes->size()},
                                           contiguous_creation().id()));
  }
  for (const auto& [name, bytes] : changes_) {
    if (names_.contains(name)) require(H5Ldelete(group.id(), name.c_str(), H5P_DEFAULT), "drop the attachment", name);
  }
  for (const auto& [name, dataset] : made) {
    require(H5Olink(dataset.id(), group.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the attachment", name);
  }
}

Publication AttachmentChanges::contents(const std::vector<PlannedSpace>& places) const {
  Publication acts;
  std::size_t place = 0;
  for (const auto& [name, bytes] : changes_) {
    if (!bytes) continue;
    if (!bytes->empty()) acts.emplace_back(PublishWrite{places.at(place).offset, *bytes});
    ++place;
  }
  return acts;
}

void AttachmentChanges::advance() {
  for (const auto& [name, bytes] : changes_) {
    if (bytes) {
      names_.insert(name);
    } else {
      names_.erase(name);
    }
  }
  changes_.clear();
}

}  // namespace quire::hdf5
