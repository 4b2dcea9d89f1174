#pragma once

#include <hdf5.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::hdf5 {

/// The attachments of the image's open file in byte-wise order of their names. Objects that are no attachment, or that
/// extend beyond the end of the file, are named in `warnings`. The attributes of attachments, which are not read, are
/// appended to `attributes` unless it is null.
[[nodiscard]] std::vector<Attachment> list_attachments(hid_t file, Image& image, std::vector<std::string>& warnings,
                                                       std::vector<std::string>* attributes = nullptr);

/// Reads bytes of an attachment, starting at `offset`, through libhdf5.
void read_attachment(hid_t file, const std::string& name, std::uint64_t offset, std::span<std::byte> out,
                     std::uint64_t memory_budget);

/// The changes of a publication to the attachments of a file. Used on rank 0 only.
class AttachmentChanges {
 public:
  /// Sets the names of the attachments that an existing file has.
  void learn(std::set<std::string> names) { names_ = std::move(names); }
  /// See WritePlanner::attach().
  void change(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace);

  [[nodiscard]] bool empty() const noexcept { return changes_.empty(); }
  /// The bytes to write, by name; no value for attachments to drop.
  [[nodiscard]] const std::map<std::string, std::optional<std::vector<std::byte>>>& all() const noexcept {
    return changes_;
  }
  /// Whether the file has an attachment of this name, before the changes.
  [[nodiscard]] bool is_in_file(const std::string& name) const { return names_.contains(name); }
  /// Where the bytes are stored if they may begin at `first`, in the order in which write() creates the datasets.
  [[nodiscard]] std::vector<PlannedSpace> lay_out(std::uint64_t first) const;
  /// Creates and drops datasets, whose bytes are stored at `places`.
  void write(hid_t file, const std::vector<PlannedSpace>& places) const;
  /// The writes of the bytes, to be done before the publication.
  [[nodiscard]] Publication contents(const std::vector<PlannedSpace>& places) const;
  /// Called after the changes have been published.
  void advance();

 private:
  std::set<std::string> names_;
  std::map<std::string, std::optional<std::vector<std::byte>>> changes_;  ///< no value: to be dropped
};

}  // namespace quire::hdf5
