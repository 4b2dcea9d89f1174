#include "format/h5/open_file.hpp"

#include "format/h5/driver.hpp"
#include "format/h5/header_check.hpp"
#include "quire/base/checked.hpp"

namespace quire::h5 {

std::optional<Journal> overlay_journal(Image& image, std::uint64_t memory_budget) {
  auto journal = find_journal(image.reader(), image.size(), memory_budget);
  if (journal) image.overlay(journal->overwrites, journal->start);
  return journal;
}

OpenFile::OpenFile(std::shared_ptr<ByteSource> bytes, std::uint64_t memory_budget, bool may_be_cut)
    : image_(std::move(bytes), Image::Use::reading),
      raw_size_(image_.size()),
      journal_(overlay_journal(image_, memory_budget)),
      superblock_(read_superblock(image_.reader(), image_.size(), may_be_cut)),
      file_(with_hdf5(image_, [&] {
        image_.claim_end(superblock_.end);
        // Of damaged headers HDF5 forgets memory, of which it complains at exit.
        if (superblock_.address_width == sizeof(std::uint64_t)) {
          check_data_messages(image_.reader(), image_.size(), superblock_.offset,
                              checked_add(superblock_.offset, superblock_.root));
        }
        return open_image(image_);
      })) {
  image_.set_base(superblock_);
}

std::vector<Fact> OpenFile::facts() const {
  return {{"superblock version", std::to_string(superblock_.version)},
          {"user block", std::to_string(superblock_.offset) + " bytes"}};
}

void OpenFile::describe_leftovers(FileDescription& file) const {
  if (journal_) {
    file.layout.push_back({"journal", "complete"});
    file.warnings.emplace_back(
        "an interrupted publication was completed from its journal; quire recover makes it permanent");
  } else if (raw_size_ > superblock_.end) {
    file.warnings.push_back(
        std::to_string(raw_size_ - superblock_.end) +
        " bytes behind the last published step were left by an unfinished one; quire recover drops them");
  }
}

Publication OpenFile::repair() const {
  const std::uint64_t end = superblock_.end;
  if (journal_) {
    Publication acts = complete(*journal_);
    if (journal_->start != end) acts.emplace_back(PublishResize{end});
    return acts;
  }
  if (raw_size_ > end) return {PublishResize{end}};
  return {};
}

}  // namespace quire::h5
