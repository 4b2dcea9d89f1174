#include "plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "quire/base/error.hpp"

namespace quire::probe {
namespace {

/// Linux moves a little less than 2 GiB by one call.
constexpr std::size_t most_bytes = 1 << 30;

}  // namespace

void fail(const std::string& what, const std::string& path) {
  throw Error(ErrorKind::io, "cannot " + what + ": " + std::generic_category().message(errno)).in_file(path);
}

PlainFile::PlainFile(const std::string& path, int flags) : path_(path), descriptor_(::open(path.c_str(), flags, 0644)) {
  if (descriptor_ < 0) fail("open", path);
}

PlainFile::~PlainFile() { ::close(descriptor_); }

std::uint64_t PlainFile::size() const {
  struct stat state {};
  if (::fstat(descriptor_, &state) != 0) fail("look up the size", path_);
  return static_cast<std::uint64_t>(state.st_size);
}

void PlainFile::read(std::uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t count =
        ::pread(descriptor_, out.data(), std::min(out.size(), most_bytes), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path_);
    if (count == 0) throw Error(ErrorKind::bad_file, "the file ends too early").in_file(path_).at(offset);
    out = out.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

void PlainFile::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), std::min(bytes.size(), most_bytes), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace quire::probe
