#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "format/h5/image.hpp"
#include "quire/format/format.hpp"
#include "quire/plan/plan.hpp"

namespace quire::h5 {

/// What all ranks must know of a file that one of them publishes.
struct WriterState {
  std::uint64_t published_end = 0;
  std::optional<Split> split{};
  template <class Archive>
  void archive(Archive& a) {
    a(published_end, split);
  }
};

/// A file that grows by sessions, whatever stands in it: in each session libhdf5 makes its structures in memory around
/// the places that were planned for raw data, and what it wrote becomes a publication.
///
/// Every rank has one and knows the published end; sessions are for rank 0 alone.
class FileWriter {
 public:
  /// A new file is split if that is asked for; an existing one stays as it is.
  explicit FileWriter(LibraryVersion version, bool is_split = false)
      : version_(version), image_(std::make_unique<Image>(nullptr, Image::Use::writing)) {
    image_->set_library_version(version);
    if (is_split) set_split(Split{});
  }

  /// The image of the file, for attributes and the driver.
  [[nodiscard]] Image& image() noexcept { return *image_; }
  /// Where what was published ends; 0 for a file that does not exist yet.
  [[nodiscard]] std::uint64_t published_end() const noexcept { return published_end_; }
  /// The names and the end of raw data, if the file is split.
  [[nodiscard]] const std::optional<Split>& split() const noexcept { return split_; }
  /// What other ranks than 0 learn from it.
  [[nodiscard]] WriterState state() const { return {published_end_, split_}; }
  void adopt(const WriterState& state);

  /// Takes over an existing file. Returns what completes an interrupted publication and drops what was left behind the
  /// published end. `look` gets the open file, and must not change it. Where the file stands tells `context`.
  [[nodiscard]] Publication take_over(std::shared_ptr<ByteSource> existing, const DescribeContext& context,
                                      const std::function<void(hid_t)>& look);

  /// Runs a session that writes, with raw data at the `planned` places in this order (those of length 0 left out), and
  /// makes its publication. `work` gets the open file. What `before` frees, in a file opened for it alone, `work` does
  /// not get again.
  [[nodiscard]] Publication session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                    const std::function<void(hid_t)>& before = {});
  /// The bytes of a new file with nothing in it, which is not published.
  [[nodiscard]] std::vector<std::byte> empty_file();
  /// The publication of the last session has been carried out. Elsewhere than on rank 0 without effect.
  void commit();
  /// It never will be.
  void discard() { image_->discard(); }

  /// The front of a new file is left to the superblock and the root group: raw data begin behind this. Of a split file
  /// they begin in the other one.
  [[nodiscard]] std::uint64_t first_free() const noexcept;

 private:
  void set_split(const Split& split, std::shared_ptr<ByteSource> raw = nullptr);
  void take_over_raw(const DescribeContext& context, const Split& split);
  /// Lets the file end elsewhere than before: readers know a publication by that (Generation).
  void move_end();
  /// How the other file follows a publication that `acts` make.
  void resize_raw(Publication& acts, const Superblock& published);

  LibraryVersion version_;
  std::unique_ptr<Image> image_;
  std::uint64_t published_end_ = 0;
  std::uint64_t next_end_ = 0;  ///< once what session() answered is carried out
  std::optional<Split> split_;
  std::uint64_t next_raw_end_ = 0;
};

}  // namespace quire::h5
