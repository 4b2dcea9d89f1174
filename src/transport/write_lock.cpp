#include "transport/write_lock.hpp"

#include <fcntl.h>

#include <cerrno>

#include "quire/base/error.hpp"

namespace quire {

WriteLock::WriteLock(const std::string& path, bool creates)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC | (creates ? O_CREAT : 0), 0666)) {
  if (!descriptor_.is_open()) return;
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor_.number(), F_OFD_SETLK, &whole) == 0) return;
  if (errno != EAGAIN && errno != EACCES) return;
  throw Error(ErrorKind::conflict, "another writer has the file open")
      .in_file(path)
      .advise("close it there first; two writers would destroy each other's steps");
}

}  // namespace quire
