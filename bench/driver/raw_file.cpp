#include "driver/raw_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

/// Moves bytes by calls of `move(place, length, offset)` until `least` are done; `count` counts them.
template <class Count, class Move>
void move_all(std::size_t size, std::size_t least, std::uint64_t offset, const Count& count, const Move& move) {
  for (std::size_t done = 0; done < least;) {
    const ssize_t moved = move(done, std::min(RawFile::piece, size - done), static_cast<off_t>(offset + done));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) throw system_error("move bytes", moved < 0 ? errno : EIO);
    done += static_cast<std::size_t>(moved);
    count(static_cast<std::size_t>(moved));
  }
}

}  // namespace

RawFile::RawFile(const std::string& path, int flags)
    : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw system_error("open " + path, errno);
}

RawFile::~RawFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void RawFile::write(std::uint64_t offset, std::span<const std::byte> bytes, TransportCounters& counters) const {
  move_all(
      bytes.size(), bytes.size(), offset, [&](std::size_t moved) { counters.count_write(moved); },
      [&](std::size_t at, std::size_t length, off_t to) {
        return ::pwrite(descriptor_, bytes.data() + at, length, to);
      });
}

void RawFile::read(std::uint64_t offset, std::span<std::byte> out, std::size_t least,
                   TransportCounters& counters) const {
  move_all(
      out.size(), least, offset, [&](std::size_t moved) { counters.count_read(moved); },
      [&](std::size_t at, std::size_t length, off_t from) {
        return ::pread(descriptor_, out.data() + at, length, from);
      });
}

void RawFile::sync() const {
  if (::fsync(descriptor_) != 0) throw system_error("sync " + path_, errno);
}

void RawFile::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error("close " + path_, errno);
}

void sync_folder(const std::string& path) {
  const RawFile folder(path, O_RDONLY | O_DIRECTORY);
  folder.sync();
}

}  // namespace quire::bench
