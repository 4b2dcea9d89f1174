#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "quire/spi/transport/transport.hpp"

namespace quire {

/// The properties of the file that a transport opens.
struct FileRequest {
  std::string path;
  Access access = Access::read;
  bool creates = false;  ///< this rank creates the file
  bool durable = false;
  TransportLimits limits;

  /// Whether opening creates a missing file.
  [[nodiscard]] bool makes() const noexcept { return creates || access == Access::join; }
};

/// Access to one file by one kind of system calls: all differences between the independent transports.
///
/// Opens the file once, at first use. Throws errors that name the file and, if known, the offset.
class RawFile {
 public:
  explicit RawFile(FileRequest request) : request_(std::move(request)) {}
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  virtual ~RawFile() = default;

  /// Opens the file (creates it, if this rank does) unless it is open already.
  void open() {
    if (is_open()) return;
    // Opening again would create the file again.
    if (was_opened_) throw Error(ErrorKind::usage, "the file is already closed").in_file(path());
    open_now();
    was_opened_ = true;
    ++counters_.opens;
    if (request_.creates) ++counters_.creates;
  }
  /// Transfers all bytes. Empty reads and writes do not open the file.
  virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// Whether write_places() makes one call of up to 64 places.
  [[nodiscard]] virtual bool takes_places() const noexcept { return false; }
  /// Writes bytes from several places in memory consecutively to the file.
  virtual void write_places(std::uint64_t offset, std::span<const std::span<const std::byte>> places) {
    for (const auto bytes : places) {
      write(offset, bytes);
      offset += bytes.size();
    }
  }
  /// Returns fewer bytes than requested only at the end of the file.
  [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::byte> out) = 0;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  virtual void resize(std::uint64_t size) = 0;
  /// A hint, which never fails.
  virtual void reserve(std::uint64_t from, std::uint64_t to) = 0;
  /// Makes durable what this rank has written since its last sync, or everything if this rank has written nothing
  /// itself: another library may have done so.
  void sync(bool directory) {
    open();
    const std::uint64_t changes = counters_.writes + uncounted_changes_;
    const bool knows = counters_.writes > 0;
    if (!knows || data_synced_ != changes) sync_data();
    data_synced_ = changes;
    if (!directory || (knows && entry_synced_ == changes)) return;
    sync_entry();
    entry_synced_ = changes;
  }
  /// Marks a change that no counter of this rank contains: the size, or bytes that it may have written for others.
  void note_change() noexcept { ++uncounted_changes_; }
  /// May be called twice.
  virtual void close() = 0;

  [[nodiscard]] const std::string& path() const noexcept { return request_.path; }
  [[nodiscard]] const TransportLimits& limits() const noexcept { return request_.limits; }
  [[nodiscard]] TransportCounters& counters() noexcept { return counters_; }
  [[nodiscard]] const TransportCounters& counters() const noexcept { return counters_; }

 protected:
  [[nodiscard]] virtual bool is_open() const noexcept = 0;
  virtual void open_now() = 0;
  virtual void sync_data() = 0;
  /// Syncs the directory of the file.
  virtual void sync_entry() = 0;
  /// An offset or size as the system expects it. Throws bad_file errors for values beyond the maximum file size.
  [[nodiscard]] std::int64_t system_offset(std::uint64_t offset) const {
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw Error(ErrorKind::bad_file, "an offset exceeds the maximum file size").in_file(path()).at(offset);
    }
    return static_cast<std::int64_t>(offset);
  }
  [[nodiscard]] const FileRequest& request() const noexcept { return request_; }

 private:
  FileRequest request_;
  TransportCounters counters_;
  bool was_opened_ = false;
  std::uint64_t uncounted_changes_ = 0;
  // The number of changes at the last sync.
  std::uint64_t data_synced_ = 0;
  std::uint64_t entry_synced_ = 0;
};

}  // namespace quire
