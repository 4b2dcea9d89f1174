#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/h5/byte_map.hpp"
#include "format/h5/header_guard.hpp"
#include "format/h5/heap_check.hpp"
#include "format/h5/split.hpp"
#include "format/h5/superblock.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/record.hpp"

namespace quire::h5 {

/// A place of raw data, or one that was planned for those of one data set.
struct PlannedSpace {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// The oldest release whose structures a new file may have: older libraries read it.
enum class LibraryVersion : std::uint8_t { earliest, v18, v110 };

/// The bytes of one file as libhdf5 sees them through our driver: those of the file itself, bytes that were published
/// after the source was taken (or that a journal completes), and bytes written since and not published yet.
///
/// Also decides where new objects go: raw data exactly where it was planned, metadata in the gap before it and then
/// behind everything. Of a split file the raw data go to the other file, and the metadata one behind the other.
class Image {
 public:
  enum class Use : std::uint8_t { reading, writing };

  /// No source: a file that does not exist yet.
  Image(std::shared_ptr<ByteSource> source, Use use);
  ~Image() { *self_ = nullptr; }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// A pointer to this image that becomes null with it: after damage HDF5 may keep a file open for ever.
  [[nodiscard]] std::shared_ptr<Image* const> self() const noexcept { return self_; }

  /// Of what is made anew.
  void set_library_version(LibraryVersion version) noexcept { version_ = version; }
  [[nodiscard]] LibraryVersion library_version() const noexcept { return version_; }

  // For the describer, the planner and the journal.

  /// Reads the file, or with unpublished bytes the first `size` bytes of what it will be. The image must outlive it.
  [[nodiscard]] ReadBytes reader() { return reader(size()); }
  [[nodiscard]] ReadBytes reader(std::uint64_t size);
  /// The size of the file without unpublished bytes.
  [[nodiscard]] std::uint64_t size() const;
  /// The file is split: raw data stand in another one, member 1 of a set. Without its bytes only metadata can be read.
  void set_split(Split split, std::shared_ptr<ByteSource> raw);
  [[nodiscard]] const std::optional<Split>& split() const noexcept { return split_; }
  void set_raw_end(std::uint64_t end) { split_.value().raw_end = end; }
  /// How far the file goes, and that of raw data.
  [[nodiscard]] FileEnds ends() const;
  /// Bytes that replace those of the source, by a complete journal: the file then ends at `size`.
  void overlay(ByteMap bytes, std::uint64_t size);

  /// Takes the file that exists to have this superblock. From now on its object headers are checked.
  void set_superblock(const Superblock& superblock);
  /// What addresses inside the file are relative to; nothing if they are not 8 bytes wide, or for a new file.
  [[nodiscard]] std::optional<std::uint64_t> base() const noexcept { return base_; }
  /// Checks the header of the object at an address of the file, unless base() is nothing. True if the values of the
  /// object are those of other data sets. Throws bad_file errors for what HDF5 must not read.
  bool check_header(std::uint64_t address);
  /// The same of the root group, before the file is opened.
  void check_root();

  /// What stands in the global heaps of the bytes as they are now.
  [[nodiscard]] HeapObjects& heap_objects();

  /// While false, raw data that HDF5 asks for are not read: last_raw() tells where they stand.
  void set_raw_reading(bool read) noexcept { reads_raw_ = read; }
  /// The raw data that HDF5 asked for last.
  [[nodiscard]] PlannedSpace last_raw() const noexcept { return last_raw_; }

  /// Begins a session that writes: objects of [0, published) exist, the raw data come at `planned` in this order.
  void begin(std::uint64_t published, std::vector<PlannedSpace> planned);
  /// While true, what is allocated is never asked for again once it is published, and forgotten then.
  void set_cold(bool cold) noexcept { cold_ = cold; }
  /// From now on nothing is forgotten: older steps may be changed.
  void keep_all() noexcept { keeps_all_ = true; }
  /// What was allocated as cold there has been given back, and may come to hold something else: it is not forgotten.
  void keep(std::uint64_t offset, std::uint64_t length);
  /// While true, what HDF5 asks for as raw data is no data set: its heaps of texts of any length go with the metadata.
  void set_heap(bool heap) noexcept { heap_ = heap; }
  /// While true, what HDF5 writes to planned places is dropped: it is there already.
  void set_dropping(bool dropping) noexcept { dropping_ = dropping; }
  /// Takes back what was written there in this session: those bytes of the file stay as they are.
  void forget(std::uint64_t offset, std::uint64_t length) { pending_.erase(offset, length); }
  /// True if all planned raw data was asked for.
  [[nodiscard]] bool is_plan_used() const noexcept { return next_planned_ == planned_.size(); }
  [[nodiscard]] const ByteMap& pending() const noexcept { return pending_; }
  /// The end of allocated space as of the last close.
  [[nodiscard]] std::uint64_t allocated_end() const noexcept { return allocated_end_; }
  /// The same of the file of raw data.
  [[nodiscard]] std::uint64_t allocated_raw_end() const noexcept { return allocated_raw_end_; }
  /// The session's bytes are in the file, which has `size` bytes now.
  void commit(std::uint64_t size);
  /// The session's bytes will never be in the file.
  void discard();

  /// Throws what went wrong inside a callback of the driver, if anything did since the last call.
  void rethrow_failure();
  /// What went wrong there has been dealt with.
  void forget_failure() noexcept { failure_ = nullptr; }
  [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }
  /// Where HDF5 read last: near what it complains about.
  [[nodiscard]] std::optional<std::uint64_t> last_read() const noexcept { return last_read_; }

  /// How far the library believes that the file goes, at least: further than it does, if it is cut.
  void claim_end(std::uint64_t end) noexcept { claimed_end_ = end; }
  [[nodiscard]] std::uint64_t claimed_end() const noexcept { return claimed_end_; }

  // For the driver.

  void read(std::uint64_t offset, std::span<std::byte> out);
  /// False if raw data are not read at present.
  bool read_raw(std::uint64_t offset, std::span<std::byte> out);
  /// Reads what HDF5 takes for an object header or the like, which is checked before.
  void read_header(std::uint64_t offset, std::span<std::byte> out);
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Where `length` new bytes go when the end of allocated space is at `end`.
  [[nodiscard]] std::uint64_t allocate(bool raw, std::uint64_t length, std::uint64_t end);
  /// The end of the planned data, which counts as allocated from the first moment on: otherwise HDF5 would extend
  /// metadata in its place, over what is planned.
  [[nodiscard]] std::uint64_t planned_end() const noexcept { return raw_end_; }
  void keep_failure(std::exception_ptr failure) noexcept;
  void set_allocated_ends(std::uint64_t end, std::uint64_t raw_end) noexcept {
    allocated_end_ = end;
    allocated_raw_end_ = raw_end;
  }
  [[nodiscard]] bool is_writable() const noexcept { return use_ == Use::writing; }

 private:
  [[nodiscard]] bool is_raw_place(std::uint64_t place) const noexcept { return split_ && place >= first_raw_place; }
  void read_raw_file(std::uint64_t place, std::span<std::byte> out);
  /// How far object headers may reach.
  [[nodiscard]] std::uint64_t headers_end() const;
  /// What was found out about bytes that may have changed.
  void forget_checks() noexcept;
  /// Where the bytes that neither the source nor a map knows begin, at or behind `position`.
  [[nodiscard]] std::uint64_t known_until(std::uint64_t position) const;

  std::shared_ptr<Image*> self_ = std::make_shared<Image*>(this);
  std::shared_ptr<ByteSource> source_;
  Use use_;
  LibraryVersion version_ = LibraryVersion::earliest;
  std::optional<std::uint64_t> base_;
  std::optional<HeapObjects> heap_objects_;  ///< until the bytes change
  std::optional<HeaderGuard> headers_;       ///< of a file that exists
  std::uint64_t root_ = 0;
  std::uint64_t source_size_ = 0;
  std::uint64_t published_size_ = 0;
  std::uint64_t claimed_end_ = 0;
  std::optional<Split> split_;
  std::shared_ptr<ByteSource> raw_source_;
  ByteMap published_;
  ByteMap pending_;
  std::vector<PlannedSpace> planned_;
  std::size_t next_planned_ = 0;
  std::uint64_t gap_ = 0;  ///< metadata goes to [gap_, gap_end_) while it fits
  std::uint64_t gap_end_ = 0;
  std::uint64_t raw_end_ = 0;  ///< and then behind this; 0 without planned data
  bool cold_ = false;
  bool heap_ = false;
  bool dropping_ = false;
  bool keeps_all_ = false;
  std::vector<PlannedSpace> cold_ranges_;
  std::uint64_t allocated_end_ = 0;
  std::uint64_t allocated_raw_end_ = 0;
  bool reads_raw_ = true;
  PlannedSpace last_raw_;
  std::exception_ptr failure_;
  std::optional<std::uint64_t> last_read_;
};

}  // namespace quire::h5
