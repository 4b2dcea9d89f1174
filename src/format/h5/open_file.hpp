#pragma once

#include <memory>
#include <optional>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"
#include "format/h5/journal.hpp"
#include "format/h5/superblock.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// One HDF5 file that is only read: checked before libhdf5 sees it, a complete journal at its tail overlaid.
class OpenFile {
 public:
  /// Throws bad_file errors for what is no HDF5 file, or a damaged one. If it `may_be_cut`, what stands behind its end
  /// is missed only when it is asked for.
  OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, bool may_be_cut = false);

  [[nodiscard]] hid_t id() const noexcept { return file_.id(); }
  [[nodiscard]] Image& image() noexcept { return image_; }
  [[nodiscard]] const Superblock& superblock() const noexcept { return superblock_; }
  [[nodiscard]] const std::optional<Journal>& journal() const noexcept { return journal_; }
  /// The size of the file as it is, with its journal.
  [[nodiscard]] std::uint64_t raw_size() const noexcept { return raw_size_; }

  /// Facts about the container: superblock and user block.
  [[nodiscard]] std::vector<Fact> facts() const;
  /// Adds what an interrupted publication or an unfinished step left behind, as facts and warnings.
  void describe_leftovers(FileDescription& file) const;
  /// The acts that make the file tidy: Describer::repair().
  [[nodiscard]] Publication repair() const;

 private:
  Image image_;
  std::uint64_t raw_size_;
  std::optional<Journal> journal_;
  Superblock superblock_;
  Handle file_;  // closed before the image goes
};

/// Overlays the journal at the tail of an image's file, if there is one, and returns it.
std::optional<Journal> overlay_journal(Image& image, std::uint64_t memory_budget);

}  // namespace quire::h5
