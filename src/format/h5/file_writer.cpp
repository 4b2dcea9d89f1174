#include "format/h5/file_writer.hpp"

#include <algorithm>
#include <utility>

#include "format/h5/driver.hpp"
#include "format/h5/journal.hpp"
#include "format/h5/open_file.hpp"
#include "format/h5/structure.hpp"
#include "format/h5/superblock.hpp"

namespace quire::h5 {
namespace {

constexpr std::uint64_t front_bytes = 2048;
constexpr std::uint64_t journal_budget = std::uint64_t{64} << 20;

}  // namespace

std::uint64_t FileWriter::first_free() const noexcept { return std::max(published_end_, front_bytes); }

Publication FileWriter::take_over(std::shared_ptr<ByteSource> existing, const std::function<void(hid_t)>& look) {
  const std::uint64_t raw_size = existing->size();
  image_ = std::make_unique<Image>(std::move(existing), Image::Use::writing);
  image_->set_library_version(version_);
  Publication acts;
  if (const auto journal = overlay_journal(*image_, journal_budget)) acts = complete(*journal);
  const Superblock superblock = read_superblock(image_->reader(), image_->size());
  published_end_ = superblock.end;
  image_->set_base(superblock);
  if (raw_size > published_end_) acts.emplace_back(PublishResize{published_end_});
  image_->begin(published_end_, {});
  with_hdf5(*image_, [&] {
    const Handle file = open_image(*image_);
    check_file_space(file.id());
    look(file.id());
  });
  image_->discard();
  return acts;
}

Publication FileWriter::session(std::vector<PlannedSpace> planned, const std::function<void(hid_t)>& work,
                                const std::function<void(hid_t)>& before) {
  std::erase_if(planned, [](const PlannedSpace& space) { return space.length == 0; });
  image_->begin(published_end_, std::move(planned));
  with_hdf5(*image_, [&] {
    if (before) {
      Handle first = open_image(*image_);
      before(first.id());
      close_file(first);
    }
    Handle file = published_end_ == 0 ? create_image(*image_) : open_image(*image_);
    work(file.id());
    close_file(file);
  });
  if (!image_->is_plan_used()) throw Error(ErrorKind::internal, "HDF5 left planned places unused");
  next_end_ = image_->allocated_end();
  const Superblock superblock = read_superblock(image_->reader(next_end_), next_end_);
  if (superblock.end != next_end_) {
    throw Error(ErrorKind::internal, "HDF5 stores another end of the file than it has told its driver");
  }
  return make_publication(image_->pending(), published_end_, next_end_, superblock);
}

void FileWriter::commit() {
  if (next_end_ == 0) return;  // another rank publishes, and tells the end
  image_->commit(next_end_);
  published_end_ = next_end_;
}

}  // namespace quire::h5
