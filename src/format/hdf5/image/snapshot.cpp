#include "format/hdf5/image/snapshot.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

namespace quire::hdf5 {
namespace {

/// Extents closer than this are copied together.
constexpr std::uint64_t small_gap = 1024;
/// Longer reads are not those of checked object headers.
constexpr std::size_t most_kept = std::size_t{16} << 10;
/// Steps added since the last look are copied as a whole if they are this small, including their metadata.
constexpr std::uint64_t small_growth = std::uint64_t{1} << 20;

std::vector<Extent> joined(std::vector<Extent> extents) {
  std::ranges::sort(extents, {}, &Extent::offset);
  std::vector<Extent> result;
  for (const Extent& extent : extents) {
    const std::uint64_t end = extent.offset + extent.length;
    if (result.empty() || extent.offset > result.back().offset + result.back().length + small_gap) {
      result.push_back(extent);
    } else {
      result.back().length = std::max(result.back().length, end - result.back().offset);
    }
  }
  return result;
}

/// Waits for the writer, longer with each attempt.
void pause(unsigned attempts) {
  constexpr unsigned most_doublings = 6;
  std::this_thread::sleep_for(std::chrono::microseconds(50) * (1U << std::min(attempts, most_doublings)));
}

}  // namespace

/// Reads a file, and fails after it has changed.
class Snapshot::Guarded final : public ByteSource {
 public:
  explicit Guarded(Snapshot& snapshot) : snapshot_(snapshot) {}
  [[nodiscard]] std::uint64_t size() override { return snapshot_.size_; }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    const std::size_t count = snapshot_.has_changed_ ? 0 : snapshot_.file_->read(offset, out);
    if (!snapshot_.has_changed_ && snapshot_.is_present()) return count;
    snapshot_.has_changed_ = true;
    throw Error(ErrorKind::conflict, "the file has changed while it was read").at(offset);
  }

 private:
  Snapshot& snapshot_;
};

Snapshot::Snapshot(std::shared_ptr<ByteSource> file, std::uint64_t budget, std::chrono::milliseconds patience)
    : file_(std::move(file)), budget_(budget), patience_(patience) {
  static_cast<void>(renew());
}

ReadBytes Snapshot::file_reader() {
  return [this](std::uint64_t offset, std::span<std::byte> out) { return file_->read(offset, out); };
}

std::size_t Snapshot::read(std::uint64_t offset, std::span<std::byte> out) {
  if (offset >= size_) return 0;
  const auto part = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset)));
  if (recall(offset, part)) return part.size();
  if (part.size() + sizeof(Extent) <= budget_ - asked_bytes_) {
    asked_.push_back({offset, part.size()});
    asked_bytes_ += part.size() + sizeof(Extent);
  }
  const std::size_t count = ahead_->read(offset, part);
  keep(offset, part.first(count));
  return count;
}

bool Snapshot::recall(std::uint64_t offset, std::span<std::byte> out) const {
  if (copied_.known_from(offset) >= out.size()) {
    copied_.copy(offset, out);
    return true;
  }
  const auto piece = std::ranges::find_if(recent_, [&](const Piece& one) {
    return offset >= one.offset && offset - one.offset <= one.bytes.size() &&
           out.size() <= one.bytes.size() - (offset - one.offset);
  });
  if (piece == recent_.end()) return false;
  std::memcpy(out.data(), piece->bytes.data() + (offset - piece->offset), out.size());
  return true;
}

void Snapshot::keep(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.size() > most_kept) return;
  recent_[next_].offset = offset;
  recent_[next_].bytes.assign(bytes.begin(), bytes.end());
  next_ = (next_ + 1) % recent_.size();
}

bool Snapshot::is_present() {
  const std::uint64_t size = file_->size();
  if (size == quiet_size_) {
    // The journal of a publication extends the file; afterwards the published end is another one.
    if (size == generation_.end) return true;
    std::vector<std::byte> superblock(superblock_.size());
    superblock.resize(file_->read(generation_.offset, superblock));
    if (!superblock.empty() && superblock == superblock_) return true;
  }
  // Bytes after the published end may have been truncated: a journal.
  if (size < size_ || generation_of(file_reader(), size, budget_) != generation_) return false;
  quiet_size_ = size;
  return true;
}

bool Snapshot::renew() {
  const std::uint64_t old_end = generation_.end;
  copied_.clear();
  for (Piece& piece : recent_) piece.bytes.clear();
  ahead_.emplace(std::make_shared<Guarded>(*this));
  has_changed_ = false;
  ByteMap looked;
  const auto look = [&](std::uint64_t offset, std::span<std::byte> out) {
    const std::size_t count = file_->read(offset, out);
    looked.write(offset, out.first(count));
    return count;
  };
  // A file that grows between the queries of its size and its superblock is not truncated.
  constexpr int looks = 3;
  for (int i = 0; i < looks && (i == 0 || generation_.end > size_); ++i) {
    size_ = quiet_size_ = file_->size();
    looked.clear();
    generation_ = generation_of(look, size_, budget_);
  }
  superblock_.resize(generation_.superblock.size());
  looked.copy(generation_.offset, superblock_);
  if (asked_.empty()) return true;
  if (generation_.end > old_end && generation_.end - old_end <= small_growth) {
    asked_.push_back({old_end, generation_.end - old_end});
  }
  copy_asked();
  // A journal that existed when the size was queried may be gone already.
  for (const auto& [offset, bytes] : looked.ranges()) copied_.write(offset, bytes);
  return generation_of(file_reader(), file_->size(), budget_) == generation_;
}

void Snapshot::copy_asked() {
  asked_ = joined(std::move(asked_));
  asked_bytes_ = 0;
  std::vector<std::byte> bytes;
  for (const Extent& extent : asked_) {
    if (extent.length > budget_ - asked_bytes_) break;
    bytes.resize(static_cast<std::size_t>(extent.length));
    bytes.resize(file_->read(extent.offset, bytes));
    copied_.write(extent.offset, bytes);
    asked_bytes_ += extent.length;
  }
}

void Snapshot::look(const std::function<void()>& first, const std::function<void()>& again) {
  constexpr unsigned least_attempts = 3;
  const auto begin = std::chrono::steady_clock::now();
  const auto* work = &first;
  // HDF5 may return cached data without any read.
  has_changed_ = has_changed_ || !is_present();
  for (unsigned attempts = 0;; ++attempts) {
    std::exception_ptr failure;
    try {
      (*work)();
    } catch (...) {
      failure = std::current_exception();
    }
    if (!has_changed_) {
      asked_.clear();
      asked_bytes_ = 0;
      copied_.clear();
      if (failure) std::rethrow_exception(failure);
      return;
    }
    work = &again;
    for (unsigned renewals = 0;; ++renewals) {
      const bool is_late = std::chrono::steady_clock::now() - begin >= patience_;
      if (is_late && attempts + renewals >= least_attempts) {
        has_changed_ = true;  // the bytes read so far are not reused
        throw Error(ErrorKind::conflict,
                    "the file is being written, and its structure changes faster than it can be read")
            .advise("try again when the writer pauses or has closed the file");
      }
      if (renewals > 0) pause(renewals);
      if (renew()) break;
    }
  }
}

}  // namespace quire::hdf5
