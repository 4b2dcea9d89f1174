#include "format/hdf5/library/file_writer.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "format/hdf5/guard/superblock.hpp"
#include "format/hdf5/image/journal.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/driver.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/open_file.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::uint64_t front_bytes = 2048;
constexpr std::uint64_t journal_budget = std::uint64_t{64} << 20;

/// The bytes that a session leaves, not yet published.
class SessionBytes final : public ByteSource {
 public:
  SessionBytes(ReadBytes read, std::uint64_t size) : read_(std::move(read)), size_(size) {}
  std::uint64_t size() override { return size_; }
  std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    const std::uint64_t there = offset < size_ ? std::min<std::uint64_t>(size_ - offset, out.size()) : 0;
    const auto part = out.first(static_cast<std::size_t>(there));
    if (!part.empty()) read_(offset, part);
    return part.size();
  }

 private:
  ReadBytes read_;
  std::uint64_t size_;
};

}  // namespace

std::uint64_t FileWriter::first_free() const noexcept {
  return split_ ? first_raw_place + split_->raw_end : std::max(published_end_, front_bytes);
}

void FileWriter::set_split(const Split& split, std::shared_ptr<ByteSource> raw) {
  split_ = split;
  image_->set_split(split, std::move(raw));
}

void FileWriter::adopt(const WriterState& state) {
  published_end_ = state.published_end;
  split_ = state.split;
}

void FileWriter::take_over_raw(const DescribeContext& context, const Split& split) {
  const RawFile raw = open_raw_file(context, split);
  require_usual_names(context, raw);
  if (raw.bytes->size() < split.raw_end) {
    throw raw_cut_error(raw.name, split, raw.bytes->size()).advise(cut_advice(CutFiles::refused));
  }
  set_split(split, raw.bytes);
}

Publication FileWriter::take_over(std::shared_ptr<ByteSource> existing, const DescribeContext& context,
                                  const std::function<void(hid_t)>& look) {
  const bool is_split_wanted = split_.has_value();
  split_.reset();
  const std::uint64_t raw_size = existing->size();
  image_ = std::make_unique<Image>(std::move(existing), Image::Use::writing);
  image_->set_library_version(version_);
  Publication acts;
  if (const auto journal = overlay_journal(*image_, journal_budget)) acts = complete(*journal);
  const Superblock superblock = read_superblock(image_->reader(), image_->size());
  published_end_ = superblock.end;
  image_->set_superblock(superblock);
  if (const auto split = read_split(image_->reader(), image_->size(), superblock)) {
    take_over_raw(context, *split);
  } else if (is_split_wanted) {
    throw Error(ErrorKind::conflict, "a file that exists as one cannot be continued as two").on("split");
  }
  if (raw_size > published_end_) acts.emplace_back(PublishResize{published_end_});
  image_->begin(published_end_, {});
  with_hdf5(*image_, [&] {
    const Handle file = open_image(*image_);
    check_file_space(file.id());
    look(file.id());
    image_->rethrow_failure();
  });
  image_->discard();
  is_proven_ = false;
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
      image_->rethrow_failure();
      close_file(first);
    }
    Handle file = published_end_ == 0 ? create_image(*image_) : open_image(*image_);
    work(file.id());
    // HDF5 may have treated objects that could not be read as missing.
    image_->rethrow_failure();
    close_file(file);
    image_->rethrow_failure();
  });
  if (!image_->is_plan_used()) throw Error(ErrorKind::internal, "HDF5 left planned places unused");
  next_end_ = image_->allocated_end();
  if (next_end_ == published_end_ && !image_->pending().empty()) move_end();
  const Superblock superblock = read_superblock(image_->reader(next_end_), next_end_);
  if (superblock.end != next_end_) {
    throw Error(ErrorKind::internal, "HDF5 stores another end of the file than it has passed to its driver");
  }
  if (split_) {
    const std::vector<std::byte> extension = timeless_extension(image_->reader(next_end_), superblock);
    if (!extension.empty()) image_->write(superblock.offset + *superblock.driver, extension);
  }
  if (!is_proven_) require_readable();
  is_proven_ = true;
  Publication acts = make_publication(image_->pending(), published_end_, next_end_, superblock);
  if (split_) resize_raw(acts, superblock);
  return acts;
}

void FileWriter::require_readable() {
  try {
    OpenFile left(std::make_shared<SessionBytes>(image_->reader(next_end_), next_end_), journal_budget);
    with_hdf5(left.image(), [&] { static_cast<void>(list_links(left.id(), "/")); });
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_file, "the file has structures that overlap: it could not be read with what is added (" +
                                         error.message() + ")")
        .advise("convert what can be read into another file");
  }
}

void FileWriter::move_end() {
  constexpr std::uint64_t further = 8;
  const ReadBytes read = image_->reader(next_end_);
  const Superblock superblock = read_superblock(read, next_end_, CutFiles::read);
  image_->write(superblock.offset, superblock_with_end_moved(read, superblock, further));
  next_end_ += further;
}

std::vector<std::byte> FileWriter::empty_file() {
  return whole_file([](hid_t) {});
}

std::vector<std::byte> FileWriter::whole_file(const std::function<void(hid_t)>& work) {
  const Publication acts = session({}, work);
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::exchange(next_end_, 0)));
  for (const PublishAct& act : acts) {
    const auto* write = std::get_if<PublishWrite>(&act);
    if (write != nullptr) std::ranges::copy(write->bytes, bytes.begin() + static_cast<std::ptrdiff_t>(write->offset));
  }
  discard();
  return bytes;
}

void FileWriter::resize_raw(Publication& acts, const Superblock& published) {
  next_raw_end_ = image_->allocated_raw_end();
  const auto stored = read_split(image_->reader(next_end_), next_end_, published);
  if (!stored || stored->raw_end != next_raw_end_) {
    throw Error(ErrorKind::internal, "HDF5 stores another end of the raw data than it has passed to its driver");
  }
  const PublishResize resize{first_raw_place + next_raw_end_};
  // Bytes that readers know of are removed only after the publication of a smaller end, and added before that of a
  // larger one: readers would miss them, even the rest of a chunk that no rank has written, and an empty file.
  if (next_raw_end_ < split_->raw_end) {
    acts.emplace_back(resize);
  } else if (next_raw_end_ > split_->raw_end || published_end_ == 0) {
    acts.insert(acts.begin(), resize);
  }
}

void FileWriter::commit() {
  if (next_end_ == 0) return;  // another rank publishes, and shares the end
  image_->commit(next_end_);
  published_end_ = next_end_;
  if (!split_) return;
  split_->raw_end = next_raw_end_;
  image_->set_raw_end(next_raw_end_);
}

}  // namespace quire::hdf5
