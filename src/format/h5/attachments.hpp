#pragma once

#include <hdf5.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/h5/image.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// The group of the root that holds attachments: a data set of bytes for each.
inline constexpr const char* attachment_group = "Attachment";

/// The attachments of the image's open file in byte-wise order of their names; what is none, or lies beyond the end of
/// the file, is named in `warnings`. Their own attributes, which nobody reads, go to `attributes` if they are asked
/// for.
[[nodiscard]] std::vector<Attachment> list_attachments(hid_t file, Image& image, std::vector<std::string>& warnings,
                                                       std::vector<std::string>* attributes = nullptr);

/// Bytes of an attachment, from `offset` on, through libhdf5.
void read_attachment(hid_t file, const std::string& name, std::uint64_t offset, std::span<std::byte> out,
                     std::uint64_t memory_budget);

/// What a publication does to the attachments of a file: on rank 0 alone.
class AttachmentChanges {
 public:
  /// The names in the file, of an existing one.
  void learn(std::set<std::string> names) { names_ = std::move(names); }
  /// See WritePlanner::attach().
  void change(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace);

  [[nodiscard]] bool empty() const noexcept { return changes_.empty(); }
  /// By name what is written; nothing for what is dropped.
  [[nodiscard]] const std::map<std::string, std::optional<std::vector<std::byte>>>& all() const noexcept {
    return changes_;
  }
  /// Whether the file has an attachment of this name, before the changes.
  [[nodiscard]] bool is_in_file(const std::string& name) const { return names_.contains(name); }
  /// Where the bytes go if they may begin at `first`, in the order in which write() creates the data sets.
  [[nodiscard]] std::vector<PlannedSpace> lay_out(std::uint64_t first) const;
  /// Creates and drops data sets, whose bytes come at `places`.
  void write(hid_t file, const std::vector<PlannedSpace>& places) const;
  /// The bytes themselves, to be written before the publication.
  [[nodiscard]] Publication contents(const std::vector<PlannedSpace>& places) const;
  /// The changes were published.
  void advance();

 private:
  std::set<std::string> names_;
  std::map<std::string, std::optional<std::vector<std::byte>>> changes_;  ///< nothing: to be dropped
};

}  // namespace quire::h5
