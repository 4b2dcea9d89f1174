#include "format/hdf5/image/image.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {

Image::Image(std::shared_ptr<ByteSource> source, Use use)
    : source_(std::move(source)),
      use_(use),
      places_(use == Use::writing ? Overlaps::none : Overlaps::of_structures),
      symbols_(places_, use == Use::writing) {
  if (source_) source_size_ = published_size_ = source_->size();
}

ReadBytes Image::reader(std::uint64_t size) {
  return [this, size](std::uint64_t offset, std::span<std::byte> out) -> std::size_t {
    if (offset >= size) return 0;
    const auto part = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size - offset)));
    read(offset, part);
    return part.size();
  };
}

std::uint64_t Image::size() const { return published_size_; }

void Image::set_split(Split split, std::shared_ptr<ByteSource> raw) {
  split_ = std::move(split);
  raw_source_ = std::move(raw);
}

FileEnds Image::ends() const {
  if (!split_) return {.first = size()};
  // In a truncated file only the existing bytes count.
  return {.first = size(), .raw = raw_source_ ? std::min(split_->raw_end, raw_source_->size()) : split_->raw_end};
}

void Image::set_superblock(const Superblock& superblock) {
  base_.reset();
  headers_.reset();
  heap_objects_.reset();
  if (superblock.address_width != sizeof(std::uint64_t)) return;
  base_ = superblock.offset;
  root_ = superblock.root;
  superblock_length_ = superblock.length;
  forget_places();
  headers_.emplace(*base_, is_writable() ? Decoded::all : Decoded::without_attributes,
                   [this](const SoundHeader& header) {
                     if (header.symbols) symbols_.add(*header.symbols);
                     keep_apart(header);
                   });
}

void Image::forget_checks() noexcept {
  heap_objects_.reset();
  symbols_.forget();
  if (headers_) headers_->forget();
}

std::uint64_t Image::headers_end() const {
  if (is_writable()) return std::max(size(), pending_.end());
  // If an object lies beyond the end in the superblock, HDF5 leaks memory and reports that at exit.
  return claimed_end_ == 0 ? size() : std::min(size(), claimed_end_);
}

void Image::check_symbols(const Piece& node) {
  // HDF5 writes a group and its names at different times. Nodes that it has not changed are as published.
  if (!symbols_.has_node(node.offset()) || pending_.has_any(node.offset(), node.size())) return;
  const auto read_all = [this](std::uint64_t offset, std::span<std::byte> out) {
    read_published(offset, out);
    return out.size();
  };
  symbols_.check_node(read_all, size(), *base_, node);
}

void Image::keep_apart(const SoundHeader& header) {
  const auto is_changed = [this](const HeaderPart& part) { return pending_.has_any(part.offset, part.length); };
  if (std::ranges::any_of(header.parts, is_changed)) return;
  places_.add_header(header);
  if (!header.values) return;
  places_.add_values(header, ends().place(checked_add(*base_, header.values->address)), header.values->length);
}

void Image::forget_places() {
  places_.clear();
  if (base_) places_.add(*base_, *base_, superblock_length_);
}

bool Image::check_header(std::uint64_t address) {
  const std::uint64_t end = headers_end();
  return headers_ && headers_->check(reader(end), end, checked_add(*base_, address));
}

void Image::check_root() { check_header(root_); }

void Image::read_header(std::uint64_t offset, std::span<std::byte> out) {
  const std::uint64_t end = headers_end();
  if (headers_) headers_->check_read(reader(end), end, offset, out.size());
  read(offset, out);
}

void Image::read_node(std::uint64_t offset, std::span<std::byte> out) {
  read(offset, out);
  check_symbols(Piece(out, offset));
}

HeapObjects& Image::heap_objects() {
  const auto read_all = [this](std::uint64_t offset, std::span<std::byte> out) {
    read(offset, out);
    return out.size();
  };
  if (!heap_objects_) heap_objects_.emplace(read_all, ends(), base_.value_or(0));
  return *heap_objects_;
}

void Image::overlay(ByteMap bytes, std::uint64_t size) {
  forget_checks();
  forget_places();
  published_ = std::move(bytes);
  published_size_ = size;
  source_size_ = std::min(source_size_, size);
}

void Image::begin(std::uint64_t published, std::vector<PlannedSpace> planned) {
  discard();
  planned_ = std::move(planned);
  if (!std::ranges::is_sorted(planned_, {}, &PlannedSpace::offset)) {
    throw Error(ErrorKind::internal, "raw data was planned out of order");
  }
  gap_ = gap_end_ = published;
  if (split_ || planned_.empty()) return;
  gap_end_ = planned_.front().offset;
  for (const PlannedSpace& space : planned_) raw_end_ = std::max(raw_end_, checked_add(space.offset, space.length));
}

void Image::commit(std::uint64_t size) {
  forget_checks();
  for (const auto& [offset, bytes] : pending_.ranges()) published_.write(offset, bytes);
  for (const PlannedSpace& space : cold_ranges_) published_.erase(space.offset, space.length);
  if (published_.end() > size) published_.erase(size, published_.end() - size);
  published_size_ = size;
  source_size_ = std::min(source_size_, size);  // dropped steps no longer exist
  discard();
}

void Image::keep(std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t end = checked_add(offset, length);
  std::vector<PlannedSpace> rest;
  for (const PlannedSpace& cold : cold_ranges_) {
    const std::uint64_t cold_end = cold.offset + cold.length;
    if (cold.offset < offset) rest.push_back({cold.offset, std::min(cold_end, offset) - cold.offset});
    if (cold_end > end) rest.push_back({std::max(cold.offset, end), cold_end - std::max(cold.offset, end)});
  }
  cold_ranges_ = std::move(rest);
}

void Image::discard() {
  forget_checks();
  forget_places();
  pending_.clear();
  planned_.clear();
  cold_ranges_.clear();
  next_planned_ = 0;
  raw_end_ = 0;
  cold_ = false;
  dropping_ = false;
  failure_ = nullptr;
}

void Image::rethrow_failure() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Image::keep_failure(std::exception_ptr failure) noexcept {
  if (!failure_) failure_ = std::move(failure);
}

std::uint64_t Image::known_until(std::uint64_t position) const {
  for (;;) {
    const std::uint64_t known = std::max(pending_.known_from(position), published_.known_from(position));
    if (known != 0) {
      position += known;
    } else if (position < source_size_) {
      position = source_size_;
    } else {
      return position;
    }
  }
}

void Image::read_raw_file(std::uint64_t place, std::span<std::byte> out) {
  if (!raw_source_) throw Error(ErrorKind::missing, "the file of raw data is missing").at(place);
  if (ends().hold(place, out.size()) && raw_source_->read(place - first_raw_place, out) == out.size()) return;
  throw Error(ErrorKind::bad_file, "the file's structure points beyond the end of its raw data")
      .at(place)
      .advise("the file of raw data has " + std::to_string(ends().raw) + " bytes");
}

void Image::read(std::uint64_t offset, std::span<std::byte> out) {
  if (out.empty()) return;
  last_read_ = offset;
  if (is_raw_place(offset)) return read_raw_file(offset, out);
  if (pending_.known_from(offset) < out.size()) read_published(offset, out);
  pending_.copy(offset, out);
}

void Image::read_published(std::uint64_t offset, std::span<std::byte> out) {
  const std::uint64_t end = checked_add(offset, out.size());
  if (published_.known_from(offset) < out.size()) {
    std::size_t available = 0;
    if (offset < source_size_) {
      const auto part = out.first(static_cast<std::size_t>(std::min(end, source_size_) - offset));
      available = source_->read(offset, part);
      if (available < part.size()) {
        throw Error(ErrorKind::bad_file, "the file has become shorter while it was read").at(offset + available);
      }
    }
    // When a writer reads ahead of an object's header, the space may be allocated but not yet written.
    std::memset(out.data() + available, 0, out.size() - available);
    if (use_ == Use::reading && known_until(offset) < end) {
      throw Error(ErrorKind::bad_file, "the file's structure points beyond its end")
          .at(offset)
          .advise("the file has " + std::to_string(size()) + " bytes");
    }
  }
  published_.copy(offset, out);
}

bool Image::read_raw(std::uint64_t offset, std::span<std::byte> out) {
  last_raw_ = {offset, out.size()};
  if (reads_raw_) read(offset, out);
  return reads_raw_;
}

void Image::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (use_ == Use::reading) throw Error(ErrorKind::internal, "HDF5 writes to a file that is only read").at(offset);
  // The places are sorted: the last one that begins before the end of the bytes is relevant.
  const auto after = std::ranges::lower_bound(planned_, offset + bytes.size(), {}, &PlannedSpace::offset);
  if (after != planned_.begin()) {
    const PlannedSpace& space = *std::prev(after);
    const bool is_inside = offset >= space.offset && offset + bytes.size() <= space.offset + space.length;
    if (dropping_ && is_inside) return;
    if (offset < space.offset + space.length) {
      throw Error(ErrorKind::internal, "HDF5 writes where raw data was planned").at(offset);
    }
  }
  if (is_raw_place(offset)) {
    throw Error(ErrorKind::unsupported, "texts among the raw data of a split file cannot be changed").at(offset);
  }
  forget_checks();
  pending_.write(offset, bytes);
}

std::uint64_t Image::allocate(bool raw, std::uint64_t length, std::uint64_t end) {
  if (raw && !heap_) {
    if (next_planned_ == planned_.size() || planned_[next_planned_].length != length) {
      throw Error(ErrorKind::internal,
                  "HDF5 allocates " + std::to_string(length) + " bytes of raw data that were not planned");
    }
    return planned_[next_planned_++].offset;
  }
  // Metadata of version 0 files need not be aligned, but aligned metadata are easier to inspect.
  const std::uint64_t in_gap = round_up(gap_, 8);
  std::uint64_t offset = round_up(std::max(raw_end_, end), 8);
  if (in_gap < gap_end_ && length <= gap_end_ - in_gap) {
    offset = in_gap;
    gap_ = in_gap + length;
  }
  if (cold_ && !keeps_all_) cold_ranges_.push_back({offset, length});
  return offset;
}

}  // namespace quire::hdf5
