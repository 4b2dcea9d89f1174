#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "format/h5/image.hpp"
#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// A file that grows by sessions, whatever stands in it: in each session libhdf5 makes its structures in memory around
/// the places that were planned for raw data, and what it wrote becomes a publication.
///
/// Every rank has one and knows the published end; sessions are for rank 0 alone.
class FileWriter {
 public:
  explicit FileWriter(LibraryVersion version)
      : version_(version), image_(std::make_unique<Image>(nullptr, Image::Use::writing)) {
    image_->set_library_version(version);
  }

  /// The image of the file, for attributes and the driver.
  [[nodiscard]] Image& image() noexcept { return *image_; }
  /// Where what was published ends; 0 for a file that does not exist yet.
  [[nodiscard]] std::uint64_t published_end() const noexcept { return published_end_; }
  /// On other ranks than 0, which learn the end from it.
  void set_published_end(std::uint64_t end) noexcept { published_end_ = end; }

  /// Takes over an existing file. Returns what completes an interrupted publication and drops what was left behind the
  /// published end. `look` gets the open file, and must not change it.
  [[nodiscard]] Publication take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look);

  /// Runs a session that writes, with raw data at the `planned` places in this order (those of length 0 left out), and
  /// makes its publication. `work` gets the open file. What `before` frees, in a file opened for it alone, `work` does
  /// not get again.
  [[nodiscard]] Publication session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                    const std::function<void(hid_t)>& before = {});
  /// The publication of the last session has been carried out. Elsewhere than on rank 0 without effect.
  void commit();
  /// It never will be.
  void discard() { image_->discard(); }

  /// The front of a new file is left to the superblock and the root group: raw data begin behind this.
  [[nodiscard]] std::uint64_t first_free() const noexcept;

 private:
  LibraryVersion version_;
  std::unique_ptr<Image> image_;
  std::uint64_t published_end_ = 0;
  std::uint64_t next_end_ = 0;  ///< once what session() answered is carried out
};

}  // namespace quire::h5
