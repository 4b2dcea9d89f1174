#include "transport/write_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "quire/base/error.hpp"

namespace quire {
namespace {

/// What is locked is a byte that no file has: an MPI-IO that locks the bytes which it changes, on this rank or another,
/// must not wait for our lock.
constexpr off_t beyond_all_files = off_t{1} << 62;

}  // namespace

WriteLock::WriteLock(const std::string& path, bool creates)
    : path_(path), descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0666)) {
  if (!descriptor_.is_open()) return;
  struct flock writer {};
  writer.l_type = F_WRLCK;
  writer.l_whence = SEEK_SET;
  writer.l_start = beyond_all_files;
  writer.l_len = 1;
  if (::fcntl(descriptor_.number(), F_OFD_SETLK, &writer) == 0) return;
  if (errno != EAGAIN && errno != EACCES) return;
  throw Error(ErrorKind::conflict, "another writer has the file open")
      .in_file(path)
      .advise("close it there first; two writers would destroy each other's steps");
}

bool WriteLock::is_lost() const noexcept {
  if (!descriptor_.is_open()) return false;
  struct stat mine {};
  struct stat there {};
  if (::fstat(descriptor_.number(), &mine) != 0) return false;
  if (::stat(path_.c_str(), &there) != 0) return errno == ENOENT;
  return mine.st_dev != there.st_dev || mine.st_ino != there.st_ino;
}

}  // namespace quire
