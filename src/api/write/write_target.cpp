#include "api/write/write_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/root.hpp"
#include "api/write/transport_knobs.hpp"
#include "api/writer_locks.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "transport/file_system.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

Options taken_from(Options& options) {
  Options mine;
  for (const Option& option : common_write_options()) {
    const auto given = options.find(option.name);
    if (given != options.end()) mine.insert(options.extract(given));
  }
  return mine;
}

Compression chosen(const std::string& path, const std::string& text) {
  if (text == "gzip") return Compression::gzip;
  if (text == "xz") return Compression::xz;
  return text == "none" ? Compression::none : compression_for_suffix(path);
}

/// With sufficient permissions a rename would replace the device by a file.
void refuse_device(const std::string& path) {
  std::error_code ignored;
  const files::file_status there = files::status(path, ignored);
  if (!files::exists(there) || files::is_regular_file(there) || files::is_directory(there)) return;
  throw Error(ErrorKind::conflict, "it is a device or a pipe, which no file can replace").in_file(path);
}

/// A directory may replace one with the files of a checkpoint, even damaged ones, according to their names, but not one
/// with other files. Returns the name of the first other file; no value if the path is no directory.
std::optional<std::string> strange_name_in(const std::string& path) {
  std::error_code ignored;
  if (!files::is_directory(path, ignored)) return std::nullopt;
  for (std::string& name : names_in(path)) {
    const std::vector<std::string> alone{name};
    const bool is_ours = name.find(".quire-") != std::string::npos;
    const bool is_known = is_ours || std::ranges::any_of(formats(), [&](const Format* format) {
                            return !entry_of(*format, alone).empty();
                          });
    if (!is_known || files::is_directory(files::path(path) / name, ignored)) return std::move(name);
  }
  return std::nullopt;
}

void refuse_strange_directory(const std::string& path) {
  const auto name = strange_name_in(path);
  if (!name) return;
  throw Error(ErrorKind::conflict, "it is a directory with other files than those of a checkpoint: " + *name)
      .in_file(path)
      .advise("choose another name, or move the existing files");
}

/// Whether something is mounted there, even of the same file system: a rename cannot replace it.
bool is_mount_point(const std::string& path) {
  struct statx there {};
  if (::statx(AT_FDCWD, path.c_str(), AT_NO_AUTOMOUNT, 0, &there) != 0) return false;
  if ((there.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0) {
    return (there.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  }
  struct statx above {};
  const files::path beside = files::path(path).parent_path();
  if (::statx(AT_FDCWD, beside.empty() ? "." : beside.c_str(), AT_NO_AUTOMOUNT, 0, &above) != 0) return false;
  return there.stx_dev_major != above.stx_dev_major || there.stx_dev_minor != above.stx_dev_minor;
}

void refuse_mount_point(const std::string& path) {
  if (!is_mount_point(path)) return;
  throw Error(ErrorKind::conflict, "it is a mount point, which nothing can replace")
      .in_file(path)
      .advise("overwrite it (replacement=direct, not compressed), or choose another name");
}

/// A write-protected directory can neither be emptied nor, except by the administrator, moved.
void refuse_protected_directory(const std::string& path) {
  std::error_code ignored;
  if (!files::is_directory(path, ignored) || ::access(path.c_str(), W_OK | X_OK) == 0) return;
  throw Error(ErrorKind::io, "the directory may not be written, so no other one can replace it")
      .in_file(path)
      .advise("allow it (chmod u+wx), or choose another name");
}

/// A set written through a link to the first file of another set would mix the files of both.
void refuse_first_of_another(const std::string& path, const FileSetNames* set) {
  const std::vector<std::string> mine = paths_of_members(path, set);
  if (mine.empty()) return;
  const std::string first = target_of(path);
  if (first == path) return;
  std::error_code ignored;
  for (const std::string& name : named_members(first)) {
    const files::path member = files::path(first).parent_path() / name;
    const auto is_mine = [&](const std::string& one) { return files::equivalent(member, one, ignored); };
    if (!files::exists(member, ignored) || std::ranges::any_of(mine, is_mine)) continue;
    throw Error(ErrorKind::conflict, "it leads to the first file of another set, which would lose " + member.string())
        .in_file(path)
        .advise("write to " + first + " itself, or remove the link first");
  }
}

void require_writable(const std::string& path) {
  if (::access(path.c_str(), W_OK) == 0 || errno == ENOENT || errno == ENOTDIR) return;
  throw system_error("create", errno).in_file(path);
}

/// Whether a single file is created where none exists. Further checks are then skipped, because all ranks wait, and on
/// storage with many clients each check is a message.
bool is_free(const std::string& path, const FileSetNames* set) {
  if (!entry_of(set).empty() || !paths_of_members(path, set).empty()) return false;
  std::error_code ignored;
  return files::symlink_status(path, ignored).type() == files::file_type::not_found;
}

void require(const std::error_code& code, const std::string& action, const std::string& path) {
  if (code) throw system_error(action, code.value()).in_file(path);
}

}  // namespace

const std::vector<Option>& common_write_options() {
  static const std::vector<Option> options = [] {
    std::vector<Option> all{
        {"compression",
         OptionKind::text,
         "suffix",
         {"suffix", "none", "gzip", "xz"},
         "of the whole file; suffix: by .gz, .xz or .lzma at the end of the name"},
        {"compression_level", OptionKind::integer, "", {}, "0 (fast) to 9 (small); else 6 for gzip, 2 for xz"},
        {"replacement",
         OptionKind::text,
         "suited",
         {"suited", "direct", "whole"},
         "whole: the old file stays until the new one is complete and durable; suited: the same for files of one step"},
        {"checksums",
         OptionKind::truth,
         "false",
         {},
         "files of one step: store checksums of all pieces next to the file, for later checks"},
        {"zones",
         OptionKind::text,
         "auto",
         {"auto", "true", "false"},
         "store the limits of each block of 4096 rows in an index next to the file, so that conditions read less; "
         "auto: of tables of at least 2^23 rows"},
    };
    all.insert(all.end(), transport_knobs().begin(), transport_knobs().end());
    return all;
  }();
  return options;
}

WriteTarget::WriteTarget(const std::string& path, Options& options) : path_(path), target_(path), written_(path) {
  require_path(path);
  const CheckedOptions mine(common_write_options(), taken_from(options));
  choice_.compression = chosen(path, mine.text("compression"));
  if (mine.given("compression_level")) {
    if (!is_compressed()) {
      throw Error(ErrorKind::usage, "the option has no effect on a file that is not compressed")
          .on("compression_level")
          .advise("leave it out, or choose a compression");
    }
    constexpr long long most = 9;
    const long long level = mine.integer("compression_level");
    if (level < 0 || level > most) throw Error(ErrorKind::usage, "compression_level is a number from 0 to 9");
    choice_.level = static_cast<int>(level);
  }
  keeps_sums_ = mine.truth("checksums");
  keeps_limits_ = mine.text("zones") != "false";
  asks_for_limits_ = mine.text("zones") == "true";
  const std::string replacement = mine.text("replacement");
  is_asked_whole_ = replacement == "whole";
  if (is_compressed()) {
    target_ = target_of(path);
    written_ = plain_path(target_);
  } else if (is_asked_whole_) {
    replace_whole(target_of(path));
  } else {
    is_open_ = replacement == "suited";
  }
}

void WriteTarget::replace_whole(const std::string& target) {
  replaces_whole_ = true;
  target_ = target;
  written_ = staged_path(target_);
}

bool WriteTarget::is_worth_keeping(const FileSetNames* set, bool is_set) const {
  std::error_code code;
  // A set cannot be replaced through a link. Places with other files are checked as always.
  const auto is_link = [&](const std::string& path) { return files::is_symlink(path, code); };
  if (is_set && is_link(without_end_separators(path_))) return false;
  if (std::ranges::any_of(paths_of_members(target_of(path_), set), is_link)) return false;
  if (!can_be_staged(target_of(path_)) || is_mount_point(target_of(path_))) return false;
  if (!entry_of(set).empty()) {
    return files::is_directory(path_, code) && !files::is_empty(path_, code) && !strange_name_in(path_);
  }
  const std::uintmax_t size = files::file_size(path_, code);
  return !code && size > 0;
}

void WriteTarget::require_place_for_set() const {
  if (is_compressed()) {
    throw Error(ErrorKind::usage, "a set of files cannot be compressed")
        .on("compression")
        .advise("write one file, use a name without such a suffix, or compression=none");
  }
  std::error_code ignored;
  if (!replaces_whole_ || !files::is_symlink(without_end_separators(path_), ignored)) return;
  throw Error(ErrorKind::conflict, "it is a symbolic link, through which no set of several files can be replaced")
      .in_file(path_)
      .advise("write to " + target_ + " itself, and read it there, or make it one file");
}

WriteLock WriteTarget::prepare(const FileSetNames* set, bool is_one_step, bool is_set) {
  std::error_code ignored;
  require_parent(target_);
  if (is_compressed() && files::is_directory(target_, ignored)) {
    throw system_error("create", EISDIR).in_file(target_);
  }
  if (is_compressed() || replaces_whole_) {
    refuse_device(target_);
    refuse_mount_point(target_);
  }
  finish_replacing(target_);
  if (!is_compressed() && !replaces_whole_ && !is_set && is_free(target_, set)) return {};
  // Files that another writer has open, or that may not be written, are neither removed nor replaced.
  const std::string first = first_file_for(is_compressed() ? written_ : target_, set);
  WriteLock lock = lock_for_writing(first);
  if (is_compressed()) lock.keep(lock_what_is_at(target_, lock));
  if (!replaces_whole_) require_writable(first);
  if (is_open_ && is_one_step && is_worth_keeping(set, is_set)) replace_whole(target_of(path_));
  if (!replaces_whole_) refuse_first_of_another(path_, set);
  refuse_strangers(target_, set, replaces_whole_);
  if (!replaces_whole_) return lock;
  refuse_strange_directory(target_);
  refuse_protected_directory(target_);
  begin_staging(target_);
  WriteLock of_old;
  of_old.keep(std::move(lock));
  return of_old;
}

void WriteTarget::discard(const WriteLock& lock) const {
  std::error_code ignored;
  if (lock.is_lost()) return;
  if (is_compressed()) files::remove(written_, ignored);
  if (replaces_whole_) drop_staging(target_);
}

std::vector<std::string> WriteTarget::complete(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock,
                                               const FileSetNames* set) {
  std::vector<std::string> left;
  if (is_compressed()) compress(comm, open, durable, lock);
  if (!replaces_whole_) return left;
  static_cast<void>(from_root(comm, [&]() -> std::vector<std::byte> {
    left = take_place(lock, set);
    return {};
  }));
  return left;
}

void WriteTarget::require_place(const WriteLock& lock, const FileSetNames* set) const {
  // Two writers that begin at the same time may both find no other one; the path belongs to the one whose file exists
  // there.
  if (lock.is_lost()) {
    throw Error(ErrorKind::conflict,
                "the file that was written as a replacement is missing: another writer that began at the same time "
                "replaced it, or it was removed")
        .in_file(target_)
        .advise("write it again when no other program writes the file");
  }
  // They may have been created since this one was begun.
  refuse_strangers(target_, set, true);
  refuse_protected_directory(target_);
}

std::vector<std::string> WriteTarget::take_place(const WriteLock& lock, const FileSetNames* set) const {
  require_place(lock, set);
  const WriteLock of_newcomer = lock_what_is_at(target_, lock);
  keep_permissions(target_);
  const bool is_directory = !entry_of(set).empty();
  try {
    // The old checksums are removed before their file, but not before the new file is the valid one.
    const std::vector<std::string> outdated{sums_path(target_)};
    return carry_out(is_directory ? replacement_acts(target_, outdated)
                                  : replacement_acts(target_, outdated, member_test(target_, set)));
  } catch (Error& error) {
    error.in_file(target_).advise(is_taking_place() ? "the new one is complete next to it: quire recover " + target_ +
                                                          " --in-place finishes it"
                                                    : "the path is unchanged; write the new one again");
    throw;
  }
}

bool WriteTarget::is_taking_place() const { return is_decided(target_); }

void WriteTarget::compress(Comm& comm, const OpenFile& open, bool durable, const WriteLock& lock) const {
  const std::string compressed = target_ + ".compressed";
  try {
    compress_file(comm, open, written_, compressed, choice_, durable);
    static_cast<void>(from_root(comm, [&]() -> std::vector<std::byte> {
      replace(compressed, durable, lock);
      return {};
    }));
  } catch (Error& error) {
    std::error_code ignored;
    if (comm.is_root()) files::remove(compressed, ignored);
    error.advise("all steps are in " + written_ + ", without compression; " +
                 (error.advice().empty() ? "rename it, or compress it yourself" : error.advice()));
    throw;
  }
}

void WriteTarget::replace(const std::string& compressed, bool durable, const WriteLock& lock) const {
  std::error_code code;
  const std::vector<std::string> old_members = own_members(target_);
  const WriteLock of_newcomer = lock_what_is_at(target_, lock);
  // A file that is replaced keeps its permissions, like one that is overwritten.
  const files::file_status old = files::status(target_, code);
  if (files::is_regular_file(old)) files::permissions(compressed, old.permissions(), code);
  remove_sums(target_);
  files::rename(compressed, target_, code);
  require(code, "replace the old file by the compressed one", target_);
  remove_members(target_, old_members);
  files::remove(written_, code);
  require(code, "remove the file without compression", written_);
  if (durable) sync_directory_of(target_);
}

std::string plain_path(const std::string& target) { return target + ".plain"; }

bool finish_replacing(const std::string& path) {
  const std::string target = target_of(path);
  // Usually there is nothing, and all ranks wait.
  std::error_code ignored;
  const bool has_partial_sums = files::exists(partial_sums_path(target), ignored);
  const std::vector<RemoveAct> removals = removals_of_left(target);
  if (!is_being_replaced(target) && !has_partial_sums && removals.empty()) return false;
  // Checksums are written when the new file is in its place.
  WriteLock locks;
  for (const std::string& place : {staged_path(target), ready_path(target), previous_path(target)}) {
    locks.keep(lock_what_is_at(place));
  }
  if (has_partial_sums) locks.keep(lock_what_is_at(target));
  auto acts = finishing_acts(target, {sums_path(target)});
  if (has_partial_sums) acts.push_back(RemoveAct{partial_sums_path(target)});
  std::ranges::copy(removals, std::back_inserter(acts));
  // Remains next to the file are harmless, and the next replacement reports them.
  carry_out(acts);
  return !acts.empty();
}

}  // namespace quire
