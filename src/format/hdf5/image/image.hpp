#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "format/hdf5/guard/header_guard.hpp"
#include "format/hdf5/guard/heap_check.hpp"
#include "format/hdf5/guard/message_piece.hpp"
#include "format/hdf5/guard/separate_places.hpp"
#include "format/hdf5/guard/superblock.hpp"
#include "format/hdf5/guard/symbol_tables.hpp"
#include "format/hdf5/image/byte_map.hpp"
#include "format/hdf5/image/planned_space.hpp"
#include "format/hdf5/image/split.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::hdf5 {

/// The oldest release whose structures a new file may have, so that older libraries can read it.
enum class LibraryVersion : std::uint8_t { earliest, v18, v110 };

/// How HDF5 finds the attributes of an object. Readers of an index need HDF5 1.8.
enum class AttributeIndex : std::uint8_t {
  none,       ///< by a search of all, which is slow for many
  in_order,   ///< by an index; the order in which they were written is recorded
  unordered,  ///< by an index; they are listed in any order
};

/// The bytes of one file as libhdf5 sees them through our driver: the bytes of the file, bytes that were published
/// after the source was opened (or that a journal completes), and bytes written since then and not yet published.
///
/// Also decides where new objects are stored: raw data at the planned places, metadata in the gap before them and then
/// at the end. In a split file the raw data are stored in the other file, and the metadata are consecutive.
class Image {
 public:
  enum class Use : std::uint8_t { reading, writing };

  /// Without a source: a new file.
  Image(std::shared_ptr<ByteSource> source, Use use);
  ~Image() { *self_ = nullptr; }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  /// A pointer to this image that becomes null when it is destroyed: after damage HDF5 may never close a file.
  [[nodiscard]] std::shared_ptr<Image* const> self() const noexcept { return self_; }

  /// The version for new objects.
  void set_library_version(LibraryVersion version) noexcept { version_ = version; }
  [[nodiscard]] LibraryVersion library_version() const noexcept { return version_; }
  /// How new objects find their attributes, at least; those of newer versions may have an index anyway.
  void set_attribute_index(AttributeIndex index) noexcept { attribute_index_ = index; }
  [[nodiscard]] AttributeIndex attribute_index() const noexcept { return attribute_index_; }

  // For the describer, the planner and the journal.

  /// Reads the file, or its first `size` bytes including unpublished ones. The image must outlive the reader.
  [[nodiscard]] ReadBytes reader() { return reader(size()); }
  [[nodiscard]] ReadBytes reader(std::uint64_t size);
  /// The size of the file without unpublished bytes.
  [[nodiscard]] std::uint64_t size() const;
  /// Sets that the file is split: its raw data are in another file, member 1 of a set. If `raw` is null, only metadata
  /// can be read.
  void set_split(Split split, std::shared_ptr<ByteSource> raw);
  [[nodiscard]] const std::optional<Split>& split() const noexcept { return split_; }
  void set_raw_end(std::uint64_t end) { split_.value().raw_end = end; }
  /// The end of the file, and that of the file of raw data.
  [[nodiscard]] FileEnds ends() const;
  /// Replaces bytes of the source by those of a complete journal; the file then ends at `size`.
  void overlay(ByteMap bytes, std::uint64_t size);

  /// Sets the superblock of an existing file. From now on its object headers are checked.
  void set_superblock(const Superblock& superblock);
  /// The origin of addresses inside the file; no value for a new file, or if addresses are not 8 bytes wide.
  [[nodiscard]] std::optional<std::uint64_t> base() const noexcept { return base_; }
  /// Checks the header of the object at an address of the file, unless base() has no value. Returns true if the values
  /// of the object are stored in other datasets. Throws bad_file errors for headers that HDF5 must not read.
  bool check_header(std::uint64_t address);
  /// The same for the root group, before the file is opened.
  void check_root();

  /// The objects of the global heaps in the current bytes.
  [[nodiscard]] HeapObjects& heap_objects();

  /// If false, raw data that HDF5 requests are not read; last_raw() returns their place.
  void set_raw_reading(bool read) noexcept { reads_raw_ = read; }
  /// The place of the raw data that HDF5 requested last.
  [[nodiscard]] PlannedSpace last_raw() const noexcept { return last_raw_; }

  /// Begins a session that writes: objects of [0, published) exist, raw data are stored at `planned` in this order.
  void begin(std::uint64_t published, std::vector<PlannedSpace> planned);
  /// If true, allocated space is never read again after it is published, and is then removed from memory.
  void set_cold(bool cold) noexcept { cold_ = cold; }
  /// From now on everything is kept in memory, because older steps may be changed.
  void keep_all() noexcept { keeps_all_ = true; }
  /// Cold space that was freed may be allocated for something else: this extent is kept in memory.
  void keep(std::uint64_t offset, std::uint64_t length);
  /// If true, raw data that HDF5 allocates are global heaps of variable-length texts, which are stored with the
  /// metadata.
  void set_heap(bool heap) noexcept { heap_ = heap; }
  /// If true, writes of HDF5 to planned places are dropped, because the bytes are already stored.
  void set_dropping(bool dropping) noexcept { dropping_ = dropping; }
  /// Discards the bytes written to this extent in this session: the file keeps its old bytes there.
  void forget(std::uint64_t offset, std::uint64_t length) { pending_.erase(offset, length); }
  /// True if all planned raw data were allocated.
  [[nodiscard]] bool is_plan_used() const noexcept { return next_planned_ == planned_.size(); }
  [[nodiscard]] const ByteMap& pending() const noexcept { return pending_; }
  /// The end of allocated space at the last close.
  [[nodiscard]] std::uint64_t allocated_end() const noexcept { return allocated_end_; }
  /// The same for the file of raw data.
  [[nodiscard]] std::uint64_t allocated_raw_end() const noexcept { return allocated_raw_end_; }
  /// The session's bytes were written to the file, whose size is now `size`.
  void commit(std::uint64_t size);
  /// The session's bytes will not be written to the file.
  void discard();

  /// Throws the error that occurred inside a callback of the driver since the last call, if any.
  void rethrow_failure();
  /// Clears this error after it was handled.
  void forget_failure() noexcept { failure_ = nullptr; }
  [[nodiscard]] bool has_failed() const noexcept { return failure_ != nullptr; }
  /// The offset of HDF5's last read, which is near the place of an error.
  [[nodiscard]] std::optional<std::uint64_t> last_read() const noexcept { return last_read_; }

  /// Sets the least end of the file that is reported to the library, which exceeds its size if it is truncated.
  void claim_end(std::uint64_t end) noexcept { claimed_end_ = end; }
  [[nodiscard]] std::uint64_t claimed_end() const noexcept { return claimed_end_; }

  // For the driver.

  void read(std::uint64_t offset, std::span<std::byte> out);
  /// Returns false if raw data are currently not read.
  bool read_raw(std::uint64_t offset, std::span<std::byte> out);
  /// Reads bytes that HDF5 reads as an object header or similar structure, after checking them.
  void read_header(std::uint64_t offset, std::span<std::byte> out);
  /// Reads bytes of any other structure, and checks them if they belong to a symbol table.
  void read_node(std::uint64_t offset, std::span<std::byte> out);
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The place for `length` new bytes if the end of allocated space is `end`.
  [[nodiscard]] std::uint64_t allocate(bool raw, std::uint64_t length, std::uint64_t end);
  /// The end of the planned data. It counts as allocated from the beginning; otherwise HDF5 would extend metadata into
  /// the planned places.
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
  /// Reads without the pending writes.
  void read_published(std::uint64_t offset, std::span<std::byte> out);
  void check_symbols(const Piece& node);
  /// Adds the places of a header as published, and of its values, to those that must not overlap.
  void keep_apart(const SoundHeader& header);
  /// The places of all published structures but the superblock may have changed.
  void forget_places();
  /// The limit for object headers.
  [[nodiscard]] std::uint64_t headers_end() const;
  /// Clears the results of checks of bytes that may have changed.
  void forget_checks() noexcept;
  /// The first offset at or after `position` that neither the source nor a map covers.
  [[nodiscard]] std::uint64_t known_until(std::uint64_t position) const;

  std::shared_ptr<Image*> self_ = std::make_shared<Image*>(this);
  std::shared_ptr<ByteSource> source_;
  Use use_;
  LibraryVersion version_ = LibraryVersion::earliest;
  AttributeIndex attribute_index_ = AttributeIndex::none;
  std::optional<std::uint64_t> base_;
  std::optional<HeapObjects> heap_objects_;  ///< until the bytes change
  std::optional<HeaderGuard> headers_;       ///< of a file that exists
  SeparatePlaces places_;                    ///< of published structures that HDF5 has read since the last publication
  SymbolTables symbols_;
  std::uint64_t root_ = 0;
  std::uint64_t superblock_length_ = 0;
  std::uint64_t source_size_ = 0;
  std::uint64_t published_size_ = 0;
  std::uint64_t claimed_end_ = 0;
  std::optional<Split> split_;
  std::shared_ptr<ByteSource> raw_source_;
  ByteMap published_;
  ByteMap pending_;
  std::vector<PlannedSpace> planned_;
  std::size_t next_planned_ = 0;
  std::uint64_t gap_ = 0;  ///< metadata are allocated in [gap_, gap_end_) while they fit
  std::uint64_t gap_end_ = 0;
  std::uint64_t raw_end_ = 0;  ///< then after this; 0 without planned data
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

}  // namespace quire::hdf5
