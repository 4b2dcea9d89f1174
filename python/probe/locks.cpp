#include "locks.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>

#include "arguments.hpp"
#include "plain_file.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

enum class Grant : std::uint64_t { given, refused, unsupported };

Grant grant_of(int result) {
  if (result == 0) return Grant::given;
  return errno == EACCES || errno == EAGAIN || errno == EWOULDBLOCK ? Grant::refused : Grant::unsupported;
}

int range_lock(int descriptor, short type, bool wait) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_len = sizeof(std::uint64_t);
  return ::fcntl(descriptor, wait ? F_SETLKW : F_SETLK, &range);
}

/// A lock of the first bytes that is waited for. It goes also where work fails under it: others wait for it.
class WaitedLock {
 public:
  explicit WaitedLock(int descriptor) : descriptor_(descriptor), is_held_(range_lock(descriptor, F_WRLCK, true) == 0) {}
  WaitedLock(const WaitedLock&) = delete;
  WaitedLock& operator=(const WaitedLock&) = delete;
  ~WaitedLock() {
    if (is_held_) range_lock(descriptor_, F_UNLCK, false);
  }
  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  int descriptor_;
  bool is_held_;
};

/// Rank 0 takes a lock, then the last rank tries to.
template <class Take>
void contend(Comm& comm, const std::string& what, Take&& take) {
  std::array<std::uint64_t, 2> grants{};
  int error_number = 0;
  if (comm.is_root()) {
    grants[0] = static_cast<std::uint64_t>(grant_of(take()));
    error_number = errno;
  }
  comm.barrier();
  if (comm.rank() == comm.size() - 1) grants[1] = static_cast<std::uint64_t>(grant_of(take()));
  comm.maximum(grants);
  if (static_cast<Grant>(grants[0]) != Grant::given) {
    report(comm, {"lock", what, "unsupported", std::generic_category().message(error_number)});
  } else if (static_cast<Grant>(grants[1]) == Grant::given) {
    report(comm, {"lock", what, "wrong", "two ranks got the same lock"});
  } else {
    report(comm, {"lock", what, "right", ""});
  }
}

/// All ranks count in one file, each step under a lock.
void count_together(Comm& comm, const PlainFile& file) {
  constexpr std::uint64_t steps = 50;
  std::uint64_t failed = 0;
  together(comm, [&] {
    for (std::uint64_t step = 0; step < steps; ++step) {
      const WaitedLock lock(file.descriptor());
      if (!lock.is_held()) {
        failed = 1;
        return;
      }
      std::uint64_t number = 0;
      file.read(0, std::as_writable_bytes(std::span(&number, 1)));
      ++number;
      file.write(0, std::as_bytes(std::span(&number, 1)));
    }
  });
  comm.maximum(std::span(&failed, 1));
  if (failed != 0) return report(comm, {"lock", "counter", "unsupported", "a lock could not be waited for"});
  std::uint64_t number = 0;
  together(comm, [&] { file.read(0, std::as_writable_bytes(std::span(&number, 1))); });
  const std::uint64_t should = steps * static_cast<std::uint64_t>(comm.size());
  if (number == should) return report(comm, {"lock", "counter", "right", ""});
  report(comm, {"lock", "counter", "wrong", std::to_string(number) + " instead of " + std::to_string(should)});
}

}  // namespace

void examine_locks(Comm& comm, const std::string& path) {
  if (comm.size() == 1) {
    return report(comm, {"lock", "byte ranges", "skipped", "one rank alone cannot be kept out"});
  }
  together(comm, [&] {
    if (!comm.is_root()) return;
    const PlainFile file(path, O_RDWR | O_CREAT | O_TRUNC);
    const std::uint64_t zero = 0;
    file.write(0, std::as_bytes(std::span(&zero, 1)));
  });
  std::optional<PlainFile> opened;
  together(comm, [&] { opened.emplace(path, O_RDWR); });
  const PlainFile& file = *opened;
  contend(comm, "byte ranges", [&] { return range_lock(file.descriptor(), F_WRLCK, false); });
  range_lock(file.descriptor(), F_UNLCK, false);
  comm.barrier();
  contend(comm, "whole files", [&] { return ::flock(file.descriptor(), LOCK_EX | LOCK_NB); });
  ::flock(file.descriptor(), LOCK_UN);
  comm.barrier();
  count_together(comm, file);
  comm.barrier();
}

}  // namespace quire::probe
