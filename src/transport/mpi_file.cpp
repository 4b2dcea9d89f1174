#include "transport/mpi_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/stopwatch.hpp"
#include "transport/descriptor.hpp"
#include "transport/file_system.hpp"

namespace quire {
namespace {

/// Counts in MPI are ints: larger transfers are split, at a size that keeps later parts aligned.
constexpr std::size_t largest_call = 1 << 30;

}  // namespace

void MpiFile::open_now() {
  const Stopwatch stopwatch(counters().transfer_seconds);
  handle_.open(MPI_COMM_SELF, request());
  if (!request().creates) return;
  // MPI has no mode that truncates; empty files are not truncated, as in PosixFile.
  MPI_Offset old = 0;
  handle_.check("look up the size", MPI_File_get_size(handle_.get(), &old));
  if (old > 0) handle_.check("create", MPI_File_set_size(handle_.get(), 0));
}

MPI_File MpiFile::opened() {
  open();
  return handle_.get();
}

void MpiFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const MPI_File file = opened();
  const Stopwatch stopwatch(counters().transfer_seconds);
  while (!bytes.empty()) {
    const int count = static_cast<int>(std::min(bytes.size(), largest_call));
    MPI_Status status;
    handle_.check("write", MPI_File_write_at(file, system_offset(offset), bytes.data(), count, MPI_BYTE, &status),
                  offset);
    const std::size_t written = bytes_moved(status);
    if (written == 0) throw Error(ErrorKind::io, "cannot write: no byte was written").in_file(path()).at(offset);
    counters().count_write(written);
    bytes = bytes.subspan(written);
    offset += written;
  }
}

std::size_t MpiFile::read(std::uint64_t offset, std::span<std::byte> out) {
  if (out.empty()) return 0;
  const MPI_File file = opened();
  const Stopwatch stopwatch(counters().transfer_seconds);
  std::size_t done = 0;
  while (done < out.size()) {
    const int count = static_cast<int>(std::min(out.size() - done, largest_call));
    MPI_Status status;
    handle_.check("read",
                  MPI_File_read_at(file, system_offset(offset + done), out.data() + done, count, MPI_BYTE, &status),
                  offset + done);
    const std::size_t read = bytes_moved(status);
    counters().count_read(read);
    if (read == 0) break;
    done += read;
  }
  return done;
}

std::uint64_t MpiFile::size() {
  MPI_Offset size = 0;
  ++counters().stats;
  handle_.check("look up the size", MPI_File_get_size(opened(), &size));
  return static_cast<std::uint64_t>(size);
}

void MpiFile::resize(std::uint64_t size) {
  handle_.check("resize", MPI_File_set_size(opened(), system_offset(size)), size);
  note_change();
}

void MpiFile::reserve(std::uint64_t, std::uint64_t) {}

void MpiFile::sync_data() {
  const MPI_File file = opened();
  if (file_system_of(path()).in_memory) return;
  const Stopwatch stopwatch(counters().transfer_seconds);
  const Stopwatch of_syncs(counters().sync_seconds);
  handle_.check("sync", MPI_File_sync(file));
  // MPI_File_sync skips handles that have not written, but another handle may have written collectively.
  const Descriptor descriptor(::open(path().c_str(), O_RDWR | O_CLOEXEC));
  // Notes of written bytes are removed when the file is complete: a removed file need not be durable.
  if (!descriptor.is_open() && errno == ENOENT) return;
  if (!descriptor.is_open() || ::fsync(descriptor.number()) != 0) throw system_error("sync", errno).in_file(path());
  ++counters().syncs;
}

void MpiFile::sync_entry() {
  if (file_system_of(path()).in_memory) return;
  const Stopwatch stopwatch(counters().transfer_seconds);
  const Stopwatch of_syncs(counters().sync_seconds);
  sync_directory_of(path());
  ++counters().syncs;
}

void MpiFile::close() { handle_.close(); }

}  // namespace quire
