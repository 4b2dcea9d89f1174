#include "transport/write_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "quire/base/error.hpp"
#include "transport/lock_holders.hpp"

namespace quire {
namespace {

/// The locked byte is beyond every file: MPI-IO implementations that lock the bytes which they change, on this rank or
/// another, must not wait for this lock.
constexpr off_t beyond_all_files = off_t{1} << 62;

struct flock byte_of_writers() {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = beyond_all_files;
  byte.l_len = 1;
  return byte;
}

/// False if another process holds the lock. True if the file system has no locks.
bool lock_byte(const Descriptor& file) noexcept {
  struct flock byte = byte_of_writers();
  return ::fcntl(file.number(), F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

/// The same for a shared lock of the whole file.
bool share_whole(const Descriptor& file) noexcept {
  return ::flock(file.number(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

[[noreturn]] void refuse(const std::string& path, const Descriptor& file) {
  throw Error(ErrorKind::conflict, "another writer has the file open" + holders_in_words(file))
      .in_file(path)
      .advise("close it there first; two writers would overwrite each other's steps");
}

bool is_same_file(const Descriptor& file, const struct stat& other) noexcept {
  struct stat mine {};
  return ::fstat(file.number(), &mine) == 0 && mine.st_dev == other.st_dev && mine.st_ino == other.st_ino;
}

}  // namespace

WriteLock::WriteLock(const std::string& path, bool creates, WholeFileLocks others)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0666)) {
  if (!descriptor_.is_open()) return;
  if (others == WholeFileLocks::respected) whole_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (whole_.is_open() && !share_whole(whole_)) refuse(path, descriptor_);
  if (lock_byte(descriptor_)) return;
  // Network file systems may implement locks of whole files by locks of all bytes. Then the shared lock conflicts with
  // the byte, which alone keeps out programs that lock the whole file.
  static_cast<void>(whole_.close());
  if (!lock_byte(descriptor_)) refuse(path, descriptor_);
}

WriteLock::~WriteLock() {
  if (owner_ != ::getpid()) return;
  if (whole_.is_open()) static_cast<void>(::flock(whole_.number(), LOCK_UN));
  if (!descriptor_.is_open()) return;
  struct flock byte = byte_of_writers();
  byte.l_type = F_UNLCK;
  static_cast<void>(::fcntl(descriptor_.number(), F_OFD_SETLK, &byte));
}

bool WriteLock::is_lost() const noexcept {
  if (!descriptor_.is_open()) return false;
  struct stat there {};
  if (::stat(path_.c_str(), &there) != 0) return errno == ENOENT;
  return !is_same_file(descriptor_, there);
}

bool WriteLock::is_shorter_than(std::uint64_t bytes) const noexcept {
  struct stat mine {};
  return descriptor_.is_open() && ::fstat(descriptor_.number(), &mine) == 0 &&
         static_cast<std::uint64_t>(mine.st_size) < bytes;
}

void WriteLock::keep(WriteLock other) { kept_.push_back(std::move(other)); }

bool WriteLock::covers(const std::string& path) const noexcept {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return false;
  if (descriptor_.is_open() && is_same_file(descriptor_, there)) return true;
  return std::ranges::any_of(kept_, [&](const WriteLock& other) { return other.covers(path); });
}

bool is_being_written(const std::string& path, WholeFileLocks others) noexcept {
  // Opening a pipe would affect its other end.
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return false;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return false;
  struct flock byte = byte_of_writers();
  if (::fcntl(file.number(), F_OFD_GETLK, &byte) == 0 && byte.l_type == F_WRLCK) return true;
  // Testing by acquiring the lock would make a writer of another library fail at that moment.
  return others == WholeFileLocks::respected && is_locked_whole(file);
}

}  // namespace quire
