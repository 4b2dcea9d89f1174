#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"
#include "format/h5/journal.hpp"
#include "format/h5/superblock.hpp"
#include "quire/format/format.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// One HDF5 file that is only read: checked before libhdf5 sees it, a complete journal at its tail overlaid.
class OpenFile {
 public:
  /// Throws bad_file errors for what is no HDF5 file, or a damaged one. If it `may_be_cut`, what stands behind its end
  /// is missed only when it is asked for.
  /// The raw data of a split file stand beside it, as `context` tells.
  OpenFile(std::shared_ptr<ByteSource> bytes, const DescribeContext& context, bool may_be_cut = false);
  /// For a look at the structure alone: raw data of a split file cannot be read.
  OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, bool may_be_cut = false);

  [[nodiscard]] hid_t id() const noexcept { return file_.id(); }
  [[nodiscard]] Image& image() noexcept { return image_; }
  [[nodiscard]] const Superblock& superblock() const noexcept { return superblock_; }
  [[nodiscard]] const std::optional<Journal>& journal() const noexcept { return journal_; }
  /// The size of the file as it is, with its journal.
  [[nodiscard]] std::uint64_t raw_size() const noexcept { return raw_size_; }

  /// That the file, or that of its raw data, is shorter than it says; nothing if it is not.
  [[nodiscard]] std::optional<Error> cut() const;
  /// The names of the files of a split one; none of one file.
  [[nodiscard]] const std::vector<std::string>& members() const noexcept { return members_; }
  /// Throws an unsupported error if another library is to read a split file, which knows no ranks.
  void require_one_file_for(const CheckedOptions& options) const;

  /// Facts about the container: superblock and user block.
  [[nodiscard]] std::vector<Fact> facts() const;
  /// Adds what an interrupted publication or an unfinished step left behind, as facts and warnings. In a file that is
  /// being written these are not leftovers.
  void describe_leftovers(FileDescription& file) const;
  /// The acts that make the file tidy: Describer::repair().
  [[nodiscard]] Publication repair() const;

 private:
  /// `context` is null for a look at the structure.
  OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, const DescribeContext* context,
           bool may_be_cut);
  [[nodiscard]] Handle open(const DescribeContext* context, bool may_be_cut);
  /// Finds the file of raw data, if it has one.
  void find_raw_file(const DescribeContext* context, bool may_be_cut);

  Image image_;
  std::uint64_t raw_size_;
  std::optional<Journal> journal_;
  Superblock superblock_;
  std::vector<std::string> members_;
  std::uint64_t raw_file_size_ = 0;  ///< of the file of raw data, as it is
  std::function<bool()> is_being_written_{};
  Handle file_;  // closed before the image goes
};

/// Overlays the journal at the tail of an image's file, if there is one, and returns it.
std::optional<Journal> overlay_journal(Image& image, std::uint64_t memory_budget);

/// The file of raw data of a split one.
struct RawFile {
  std::string name;  ///< beside the other one
  std::shared_ptr<ByteSource> bytes;
};

/// Throws missing errors that name it.
[[nodiscard]] RawFile open_raw_file(const DescribeContext& context, const Split& split);

/// Whether files that are split are called as new ones. By other names, which only the first file tells, two of them
/// may have the same raw data, and a crafted one any file: nothing is written there, and nothing cut.
[[nodiscard]] bool has_usual_names(const std::string& first, std::string_view raw);
/// Throws an unsupported error unless they are.
void require_usual_names(const DescribeContext& context, const RawFile& raw);

/// The error that it has `size` bytes, fewer than the other one says.
[[nodiscard]] Error raw_cut_error(const std::string& name, const Split& split, std::uint64_t size);

}  // namespace quire::h5
