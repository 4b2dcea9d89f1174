#include "transport/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "base/stopwatch.hpp"
#include "transport/full_disk.hpp"

namespace quire {
Error PosixFile::failure(const char* action, int error_number) const {
  Error error = system_error(action, error_number).in_file(path());
  if (error_number == ESPIPE) error.advise("a pipe has no offsets: write its data to a file, and read that");
  if (is_full(error_number)) error.advise(advice_to_make_room);
  if (error_number != EISDIR) return error;
  error.advise(request().makes() ? "remove the directory, or choose replacement=whole or another name"
                                 : "name a file in the directory");
  return error;
}

void PosixFile::open_now() {
  // O_NONBLOCK: opening a pipe does not wait for a writer, and reading it fails.
  int flags = O_CLOEXEC | O_NONBLOCK | (request().access == Access::read ? O_RDONLY : O_RDWR);
  if (request().makes()) flags |= O_CREAT;
  constexpr mode_t everybody = 0666;  // less what the umask forbids

  const Stopwatch stopwatch(counters().transfer_seconds);
  while (true) {
    descriptor_ = Descriptor(::open(path().c_str(), flags, everybody));
    const bool is_leased = !descriptor_.is_open() && errno == EWOULDBLOCK && (flags & O_NONBLOCK) != 0;
    if (is_leased) flags &= ~O_NONBLOCK;  // another process must release its lease first
    if (descriptor_.is_open() || (errno != EINTR && !is_leased)) break;
  }
  if (!descriptor_.is_open()) {
    const int reason = errno;
    if (reason == ENOENT) throw Error(ErrorKind::missing, system_error("open", reason).message()).in_file(path());
    throw failure(request().makes() ? "create" : "open", reason);
  }
  file_system_ = file_system_of(descriptor_.number());
  // Empty files are not truncated: ext4 treats any truncation to zero as the replacement of a file, and then writes the
  // new one to disk inside every close.
  if (request().creates && size() > 0) resize(0);
}

int PosixFile::descriptor() {
  open();
  return descriptor_.number();
}

void PosixFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const int file = descriptor();
  const std::uint64_t begin = offset;
  {
    const Stopwatch stopwatch(counters().transfer_seconds);
    while (!bytes.empty()) {
      const std::size_t done = count_written(::pwrite(file, bytes.data(), bytes.size(), system_offset(offset)), offset);
      bytes = bytes.subspan(done);
      offset += done;
    }
  }
  if (request().durable) start_writeback(begin, offset - begin);
}

std::size_t PosixFile::count_written(ssize_t written, std::uint64_t offset) {
  if (written < 0 && errno == EINTR) return 0;
  if (written < 0) throw failure("write", errno).at(offset);
  if (written == 0) throw failure("write", ENOSPC).at(offset);
  counters().count_write(static_cast<std::uint64_t>(written));
  return static_cast<std::size_t>(written);
}

void PosixFile::write_places(std::uint64_t offset, std::span<const std::span<const std::byte>> places) {
  std::vector<iovec> memory;
  // writev() does not modify the bytes although it takes a pointer to non-const.
  for (const auto bytes : places) {
    if (!bytes.empty()) memory.push_back({const_cast<std::byte*>(bytes.data()), bytes.size()});
  }
  if (memory.empty()) return;
  const int file = descriptor();
  std::size_t done = 0;
  {
    const Stopwatch stopwatch(counters().transfer_seconds);
    ssize_t written = 0;
    do {
      written = ::pwritev(file, memory.data(), static_cast<int>(memory.size()), system_offset(offset));
    } while (written < 0 && errno == EINTR);
    done = count_written(written, offset);
  }
  if (request().durable) start_writeback(offset, done);
  // Writes the rest after a short call, place by place.
  for (const auto bytes : places) {
    const std::size_t skipped = std::min(done, bytes.size());
    write(offset + skipped, bytes.subspan(skipped));
    offset += bytes.size();
    done -= skipped;
  }
}

/// Starts write-back while further bytes are encoded, so that the final sync has less to do.
void PosixFile::start_writeback(std::uint64_t offset, std::uint64_t length) {
  if (length == 0 || file_system_.in_memory) return;
  unsynced_from_ = unsynced_ == 0 ? offset : std::min(unsynced_from_, offset);
  unsynced_to_ = unsynced_ == 0 ? offset + length : std::max(unsynced_to_, offset + length);
  unsynced_ += length;
  if (unsynced_ < limits().writeback) return;
  // A hint: the sync writes what it does not start.
  static_cast<void>(::sync_file_range(descriptor(), system_offset(unsynced_from_),
                                      system_offset(unsynced_to_ - unsynced_from_), SYNC_FILE_RANGE_WRITE));
  unsynced_ = 0;
}

std::size_t PosixFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (out.empty()) return 0;
  const int file = descriptor();
  const Stopwatch stopwatch(counters().transfer_seconds);
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t read = ::pread(file, out.data() + done, out.size() - done, system_offset(offset + done));
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) throw failure("read", errno).at(offset + done);
    counters().count_read(static_cast<std::uint64_t>(read));
    if (read == 0) break;
    done += static_cast<std::size_t>(read);
  }
  return done;
}

std::uint64_t PosixFile::size() {
  struct stat facts {};
  ++counters().stats;
  if (::fstat(descriptor(), &facts) != 0) throw failure("look up the size", errno);
  return static_cast<std::uint64_t>(facts.st_size);
}

void PosixFile::resize(std::uint64_t size) {
  const int file = descriptor();
  int result = 0;
  do {
    result = ::ftruncate(file, system_offset(size));
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw failure("resize", errno).at(size);
  note_change();
}

void PosixFile::reserve(std::uint64_t from, std::uint64_t to) {
  const int file = descriptor();
  if (!file_system_.preallocates || to > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return;
  const std::uint64_t end = std::max(from, size());
  const std::uint64_t growth = to - std::min(to, end);
  const bool is_new = growth > end;
  if (growth < (is_new ? limits().reserve_new_from : limits().reserve_from)) return;
  const Stopwatch stopwatch(counters().transfer_seconds);
  // fallocate of Linux, not posix_fallocate, which writes every block if the file system lacks support. A hint: if it
  // fails, a full disk is reported by the write that does not fit.
  static_cast<void>(::fallocate(file, 0, static_cast<off_t>(from), static_cast<off_t>(to - from)));
  note_change();
}

void PosixFile::sync_data() {
  const int file = descriptor();
  if (file_system_.in_memory) return;
  const Stopwatch stopwatch(counters().transfer_seconds);
  const Stopwatch of_syncs(counters().sync_seconds);
  int result = 0;
  do {
    result = ::fdatasync(file);
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw failure("sync", errno);
  ++counters().syncs;
  unsynced_ = 0;
}

void PosixFile::sync_entry() {
  if (file_system_.in_memory) return;
  const Stopwatch stopwatch(counters().transfer_seconds);
  const Stopwatch of_syncs(counters().sync_seconds);
  sync_directory_of(path());
  ++counters().syncs;
}

void PosixFile::close() {
  // On Linux an interrupted close has closed the descriptor: it must not be repeated.
  if (descriptor_.close() != 0 && errno != EINTR) throw failure("close", errno);
}

}  // namespace quire
