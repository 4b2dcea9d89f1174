#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::hdf5 {

/// What all ranks must know of a file that rank 0 publishes.
struct WriterState {
  std::uint64_t published_end = 0;
  std::optional<Split> split{};
  template <class Archive>
  void archive(Archive& a) {
    a(published_end, split);
  }
};

/// A file that grows in sessions, independent of its contents. In each session libhdf5 creates its structures in memory
/// around the places planned for raw data, and the bytes that it wrote become a publication.
///
/// Every rank has a FileWriter and knows the published end; only rank 0 runs sessions.
class FileWriter {
 public:
  /// A new file is split if `is_split`; an existing file stays as it is.
  explicit FileWriter(LibraryVersion version, bool is_split = false)
      : version_(version), image_(std::make_unique<Image>(nullptr, Image::Use::writing)) {
    image_->set_library_version(version);
    if (is_split) set_split(Split{});
  }

  /// The image of the file, for attributes and the driver.
  [[nodiscard]] Image& image() noexcept { return *image_; }
  /// The end of the published file; 0 for a new file.
  [[nodiscard]] std::uint64_t published_end() const noexcept { return published_end_; }
  /// The file names and the end of raw data, if the file is split.
  [[nodiscard]] const std::optional<Split>& split() const noexcept { return split_; }
  /// What ranks other than 0 receive.
  [[nodiscard]] WriterState state() const { return {published_end_, split_}; }
  void adopt(const WriterState& state);

  /// Takes over an existing file. Returns the publication that completes an interrupted one and drops bytes after the
  /// published end. `look` gets the open file and must not change it. `context` has the path of the file.
  [[nodiscard]] Publication take_over(std::shared_ptr<ByteSource> existing, const DescribeContext& context,
                                      const std::function<void(hid_t)>& look);

  /// Runs a session that writes, with raw data at the `planned` places in this order (those of length 0 left out), and
  /// returns its publication. `work` gets the open file. `before` gets a file opened for it only; space that it frees
  /// is not reused by `work`.
  [[nodiscard]] Publication session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                    const std::function<void(hid_t)>& before = {});
  /// The bytes of a new, empty file, which is not published.
  [[nodiscard]] std::vector<std::byte> empty_file();
  /// The bytes of a new file that `work` fills, which is not published.
  [[nodiscard]] std::vector<std::byte> whole_file(const std::function<void(hid_t)>& work);
  /// The publication of the last session has been carried out. No effect on ranks other than 0.
  void commit();
  /// The publication of the last session is abandoned.
  void discard() { image_->discard(); }

  /// The beginning of a new file is reserved for the superblock and the root group; raw data begin after it. In a split
  /// file they begin in the other file.
  [[nodiscard]] std::uint64_t first_free() const noexcept;

 private:
  void set_split(const Split& split, std::shared_ptr<ByteSource> raw = nullptr);
  void take_over_raw(const DescribeContext& context, const Split& split);
  /// Changes the end of the file, by which readers recognize a publication (Generation).
  void move_end();
  /// Looks at the file that a session leaves, unless that was done since the file was taken over. Throws bad_file
  /// errors.
  void require_readable();
  /// Adds the changes of the size of the file of raw data to a publication.
  void resize_raw(Publication& acts, const Superblock& published);

  LibraryVersion version_;
  std::unique_ptr<Image> image_;
  bool is_proven_ = true;  ///< whether the file is known to stay readable after a session
  std::uint64_t published_end_ = 0;
  std::uint64_t next_end_ = 0;  ///< after the publication of session() is carried out
  std::optional<Split> split_;
  std::uint64_t next_raw_end_ = 0;
};

}  // namespace quire::hdf5
