#include "api/writer_locks.hpp"

#include <filesystem>
#include <system_error>
#include <vector>

#include "format/library_locks.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "transport/file_system.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

WholeFileLocks locks_of_libraries() {
  return libraries_lock_files() ? WholeFileLocks::respected : WholeFileLocks::ignored;
}

/// Writers lock the first file of a set.
std::vector<std::string> first_files_at(const std::string& path) {
  std::error_code ignored;
  if (files::is_regular_file(path, ignored)) return {path};
  std::vector<std::string> first;
  if (!files::is_directory(path, ignored)) return first;
  const std::vector<std::string> names = names_in(path);
  for (const Format* format : formats()) {
    const std::string entry = entry_of(*format, names);
    if (!entry.empty()) first.push_back((files::path(path) / entry).string());
  }
  return first;
}

}  // namespace

WriteLock lock_for_writing(const std::string& path, bool creates) {
  constexpr int attempts = 3;
  WriteLock lock(path, creates, locks_of_libraries());
  // Another file may have replaced the locked one.
  for (int i = 1; i < attempts && lock.is_lost(); ++i) lock = WriteLock(path, creates, locks_of_libraries());
  if (!lock.is_lost()) return lock;
  throw Error(ErrorKind::conflict, "the file is replaced by others repeatedly")
      .in_file(path)
      .advise("write it when no other program replaces the file");
}

WriteLock lock_what_is_at(const std::string& path, const WriteLock& mine) {
  WriteLock locks;
  for (const std::string& first : first_files_at(path)) {
    // Two formats may open a directory by the same file.
    if (!mine.covers(first) && !locks.covers(first)) locks.keep(lock_for_writing(first));
  }
  return locks;
}

bool is_being_written(const std::string& path) noexcept { return is_being_written(path, locks_of_libraries()); }

}  // namespace quire
