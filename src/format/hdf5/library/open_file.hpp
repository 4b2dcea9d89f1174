#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/hdf5/guard/superblock.hpp"
#include "format/hdf5/image/image.hpp"
#include "format/hdf5/image/journal.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/format/describer.hpp"

namespace quire::hdf5 {

/// An HDF5 file opened for reading. It is checked before libhdf5 reads it, and a complete journal at its end is
/// applied.
class OpenFile {
 public:
  /// Throws bad_file errors for damaged files and files of other formats. If cut files are read, bytes beyond the end
  /// are an error only when they are read. The raw data of a split file are in a file in the same directory, found with
  /// `context`.
  OpenFile(std::shared_ptr<ByteSource> bytes, const DescribeContext& context, CutFiles cut = CutFiles::refused);
  /// To inspect only the structure: raw data of a split file cannot be read.
  OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, CutFiles cut = CutFiles::refused);

  [[nodiscard]] hid_t id() const noexcept { return file_.id(); }
  [[nodiscard]] Image& image() noexcept { return image_; }
  [[nodiscard]] const Superblock& superblock() const noexcept { return superblock_; }
  [[nodiscard]] const std::optional<Journal>& journal() const noexcept { return journal_; }
  /// The size of the file including its journal.
  [[nodiscard]] std::uint64_t raw_size() const noexcept { return raw_size_; }

  /// The error that the file, or the file of its raw data, is truncated; no value if it is complete.
  [[nodiscard]] std::optional<Error> cut() const;
  /// The names of the files of a split file; empty for a single file.
  [[nodiscard]] const std::vector<std::string>& members() const noexcept { return members_; }

  /// The layout of the container: superblock and user block.
  [[nodiscard]] std::vector<Fact> facts() const;
  /// Adds the remains of an interrupted publication or an unfinished step, as facts and warnings. In a file that is
  /// being written these are not reported as remains.
  void describe_leftovers(FileDescription& file) const;
  /// The writes of Repairer::repair().
  [[nodiscard]] Publication repair() const;

 private:
  /// `context` is null if only the structure is inspected.
  OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, const DescribeContext* context,
           CutFiles cut);
  [[nodiscard]] Handle open(const DescribeContext* context, CutFiles cut);
  /// Opens the file of raw data, if the file is split.
  void find_raw_file(const DescribeContext* context, CutFiles cut);

  Image image_;
  std::uint64_t raw_size_;
  std::optional<Journal> journal_;
  Superblock superblock_;
  std::vector<std::string> members_;
  std::uint64_t raw_file_size_ = 0;  ///< size of the file of raw data
  std::function<bool()> is_being_written_{};
  Handle file_;  // closed before the image goes
};

/// Applies the journal at the end of an image's file, if it exists, and returns it.
std::optional<Journal> overlay_journal(Image& image, std::uint64_t memory_budget);

/// The file of raw data of a split file.
struct RawFile {
  std::string name;  ///< in the same directory
  std::shared_ptr<ByteSource> bytes;
};

/// Throws missing errors with the name of the file.
[[nodiscard]] RawFile open_raw_file(const DescribeContext& context, const Split& split);

/// Whether the names of a split file are those of new files. Other names are stored in the first file only. Two such
/// files may then share the same raw data, and a crafted one may name any file: raw data with such names are never
/// written or truncated.
[[nodiscard]] bool has_usual_names(const std::string& first, std::string_view raw);
/// Throws an unsupported error unless the names are those of new files.
void require_usual_names(const DescribeContext& context, const RawFile& raw);

/// The error that the file of raw data has `size` bytes, fewer than the first file states.
[[nodiscard]] Error raw_cut_error(const std::string& name, const Split& split, std::uint64_t size);

}  // namespace quire::hdf5
