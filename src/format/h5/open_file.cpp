#include "format/h5/open_file.hpp"

#include "format/h5/driver.hpp"

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
        return open_image(image_);
      })) {
  image_.set_base(superblock_);
}

}  // namespace quire::h5
