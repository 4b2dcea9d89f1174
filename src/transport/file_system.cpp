#include "transport/file_system.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "quire/base/error.hpp"
#include "transport/descriptor.hpp"

namespace quire {
namespace {

FileSystem traits(const struct statfs& facts) {
  constexpr std::uint64_t xfs_magic = 0x58465342;  // not in every linux/magic.h
  const auto magic = static_cast<std::uint64_t>(facts.f_type) & 0xffffffff;
  return {.preallocates = magic == EXT4_SUPER_MAGIC || magic == xfs_magic,
          .in_memory = magic == TMPFS_MAGIC || magic == RAMFS_MAGIC};
}

}  // namespace

FileSystem file_system_of(int descriptor) noexcept {
  struct statfs facts {};
  return ::fstatfs(descriptor, &facts) == 0 ? traits(facts) : FileSystem{};
}

FileSystem file_system_of(const std::string& path) noexcept {
  struct statfs facts {};
  return ::statfs(path.c_str(), &facts) == 0 ? traits(facts) : FileSystem{};
}

void require_path(const std::string& path) {
  if (path.find('\0') == std::string::npos) return;
  throw Error(ErrorKind::usage, "the path of a file must not contain a NUL").in_file(path.substr(0, path.find('\0')));
}

std::vector<std::string> names_in(const std::string& directory) {
  std::error_code code;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator walk(directory, code), end; !code && walk != end; walk.increment(code)) {
    names.push_back(walk->path().filename().string());
  }
  if (code) throw system_error("list the directory", code.value()).in_file(directory);
  std::ranges::sort(names);
  return names;
}

void sync_directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string directory = parent.empty() ? std::string(".") : parent.string();
  const Descriptor open_directory(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open_directory.is_open()) throw system_error("open the directory to sync it", errno).in_file(directory);
  // Some file systems do not support fsync of directories, and return EINVAL.
  if (::fsync(open_directory.number()) != 0 && errno != EINVAL) {
    throw system_error("sync the directory", errno).in_file(directory);
  }
}

void require_parent(const std::string& path) {
  namespace files = std::filesystem;
  std::error_code ignored;
  files::path plain = files::path(path).lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();  // it ended in a slash
  const files::path parent = plain.parent_path();
  if (parent.empty() || files::exists(parent, ignored) || ignored) return;
  throw Error(ErrorKind::missing, "there is no directory " + parent.string() + " to write it to")
      .in_file(path)
      .advise("create the directory first");
}

void make_directory(const std::string& path, bool durable) {
  namespace files = std::filesystem;
  std::error_code code;
  if (files::exists(path, code) && !files::is_directory(path, code)) {
    throw Error(ErrorKind::conflict, "a file has the name of the directory to be created")
        .in_file(path)
        .advise("remove it or choose another name; replacement=whole replaces it by the directory");
  }
  files::path plain = files::path(path).lexically_normal();
  if (!plain.has_filename()) plain = plain.parent_path();  // it ended in a slash
  const bool is_new = files::create_directory(plain, code);
  if (code) throw system_error("create the directory", code.value()).in_file(path);
  if (is_new && durable) sync_directory_of(plain.string());
}

}  // namespace quire
