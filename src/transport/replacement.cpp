#include "transport/replacement.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "quire/base/error.hpp"
#include "transport/descriptor.hpp"
#include "transport/failure.hpp"
#include "transport/file_system.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

std::string partial(const std::string& target) { return target + ".quire-partial"; }
std::string ready(const std::string& target) { return target + ".quire-ready"; }
std::string previous(const std::string& target) { return target + ".quire-previous"; }

/// The new name of an object that could not be removed.
std::string left(const std::string& target, std::size_t number) {
  return target + ".quire-left." + std::to_string(number);
}

bool exists(const std::string& path) {
  // The system would truncate the path at the NUL.
  if (path.find('\0') != std::string::npos) return false;
  std::error_code ignored;
  return files::exists(files::symlink_status(path, ignored));
}

std::string name_of(const std::string& path) { return files::path(path).filename().string(); }

void require(const std::error_code& code, const std::string& action, const std::string& path) {
  if (code) throw system_error(action, code.value()).in_file(path);
}

/// Exists in a new directory while it changes places with the old one.
std::string mark_in(const std::string& directory) { return directory + "/.quire-new"; }

/// Removes an object with one of the names above, or renames it.
RemoveAct clearing(const std::string& target, const std::string& path, bool is_tidying = false) {
  return {path, is_tidying, target};
}

/// The actions after the new file is in place.
void add_tidying(std::vector<ReplacementAct>& acts, const std::string& target, bool is_marked) {
  acts.push_back(SyncAct{target});
  if (is_marked) acts.push_back(RemoveAct{mark_in(target), true});
  acts.push_back(clearing(target, ready(target), true));
  acts.push_back(clearing(target, previous(target), true));
}

/// Moves the new directory to the name for the old one, then exchanges the two.
void add_exchange(std::vector<ReplacementAct>& acts, const std::string& target) {
  const std::string whole = ready_path(target);
  acts.insert(acts.end(), {MarkAct{mark_in(whole)}, SyncAct{mark_in(whole)}, clearing(target, previous(target)),
                           RenameAct{whole, previous(target)}, ExchangeAct{previous(target), target, partial(target)}});
  add_tidying(acts, target, true);
}

/// Moves the new files from the staging directory to their places.
void add_moves(std::vector<ReplacementAct>& acts, const std::string& target, const std::vector<std::string>& names) {
  const files::path beside = files::path(target).parent_path();
  const std::string first = name_of(target);
  const bool is_there = std::ranges::find(names, first) != names.end();
  // An old mark must not make the old directory look like the new one.
  if (is_there && exists(mark_in(target))) acts.push_back(RemoveAct{mark_in(target)});
  std::error_code ignored;
  const bool is_new_directory =
      files::is_directory(ready_path(target), ignored) || files::is_directory(staged_path(target), ignored);
  if (names.size() == 1 && is_there && exists(target) && is_new_directory) return add_exchange(acts, target);
  const bool is_directory = files::is_directory(target, ignored);
  // Readers must never find the first file of one set with members of another.
  if (is_there && exists(target) && (names.size() > 1 || is_directory)) {
    acts.push_back(clearing(target, previous(target)));
    acts.push_back(RenameAct{target, previous(target)});
  }
  for (const std::string& name : names) {
    if (name != first) acts.push_back(RenameAct{ready(target) + "/" + name, (beside / name).string()});
  }
  if (is_there) acts.push_back(RenameAct{ready(target) + "/" + first, target});
  add_tidying(acts, target, exists(mark_in(target)) || exists(mark_in(ready_path(target))));
}

void perform(const RenameAct& act) {
  std::error_code code;
  files::rename(act.from, act.to, code);
  require(code, "rename " + act.from + " to " + act.to, act.to);
}

void perform(const RemoveAct& act) {
  std::error_code code;
  files::remove_all(act.path, code);
  if (code != std::errc::not_a_directory) require(code, "remove " + act.path, act.path);
}

void perform(const ExchangeAct& act) {
  if (::renameat2(AT_FDCWD, act.one.c_str(), AT_FDCWD, act.other.c_str(), RENAME_EXCHANGE) == 0) return;
  // EPERM: some file systems, and filters of system calls, return it for unknown calls.
  const bool is_unknown =
      errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOTSUP || errno == EPERM;
  if (!is_unknown) throw system_error("exchange " + act.one + " and " + act.other, errno).in_file(act.other);
  for (const RenameAct& move : renames_instead(act)) perform(move);
}

void perform(const MarkAct& act) {
  const Descriptor file(::open(act.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) throw system_error("create " + act.path, errno).in_file(act.path);
}

void perform(const SyncAct& act) { sync_directory_of(act.path); }

/// The new path of an object that cannot be removed; empty if it could not be renamed either.
std::string moved_aside(const RemoveAct& act) {
  if (act.target.empty()) return {};
  std::size_t number = 1;
  while (exists(left(act.target, number))) ++number;
  std::error_code code;
  files::rename(act.path, left(act.target, number), code);
  return code ? std::string() : left(act.target, number);
}

}  // namespace

std::string without_end_separators(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string target_of(const std::string& path) {
  const std::string plain = without_end_separators(path);
  const std::string last = name_of(plain);
  std::error_code ignored;
  if (last != "." && last != ".." && !files::is_symlink(plain, ignored)) return plain;
  return without_end_separators(files::weakly_canonical(plain, ignored).string());
}

std::string staged_path(const std::string& target) { return partial(target) + "/" + name_of(target); }
std::string ready_path(const std::string& target) { return ready(target) + "/" + name_of(target); }
std::string previous_path(const std::string& target) { return previous(target); }

bool can_be_staged(const std::string& target) {
  const files::path beside = files::path(target).parent_path();
  return name_of(previous(target)).size() <= NAME_MAX &&
         ::access(beside.empty() ? "." : beside.c_str(), W_OK | X_OK) == 0;
}

void begin_staging(const std::string& target) {
  // The whole file is durable before it replaces the old one.
  require_parent(target);
  std::error_code code;
  const bool is_new = files::create_directory(partial(target), code);
  require(code, "create the directory", partial(target));
  if (!is_new) {
    throw Error(ErrorKind::conflict, "another writer is about to replace the file")
        .in_file(target)
        .advise("wait until it has finished");
  }
  sync_directory_of(partial(target));
}

void drop_staging(const std::string& target) { carry_out({RemoveAct{partial(target)}}); }

std::vector<ReplacementAct> replacement_acts(const std::string& target, const std::vector<std::string>& outdated,
                                             const std::function<bool(const std::string& name)>& is_member) {
  std::vector<ReplacementAct> acts{clearing(target, ready(target)), RenameAct{partial(target), ready(target)},
                                   SyncAct{target}};
  const std::vector<std::string> names = names_in(partial(target));
  for (const std::string& path : outdated) acts.push_back(RemoveAct{path});
  add_moves(acts, target, names);
  std::ranges::copy(removals_of_left(target), std::back_inserter(acts));
  if (!is_member) return acts;
  const files::path beside = files::path(target).parent_path();
  for (const std::string& name : names_in(beside.empty() ? "." : beside.string())) {
    const bool is_new = std::ranges::find(names, name) != names.end();
    if (name != name_of(target) && !is_new && is_member(name))
      acts.push_back(RemoveAct{(beside / name).string(), true});
  }
  return acts;
}

void keep_permissions(const std::string& target) {
  std::error_code ignored;
  const files::file_status old = files::status(target, ignored);
  if (!files::exists(old)) return;
  for (const std::string& name : names_in(partial(target))) {
    const files::path path = files::path(partial(target)) / name;
    // Permissions of a directory have another meaning than those of a file.
    if (files::status(path, ignored).type() == old.type()) files::permissions(path, old.permissions(), ignored);
  }
}

std::string where_it_is(const std::string& path) {
  std::error_code ignored;
  if (path.find('\0') != std::string::npos || files::exists(path, ignored)) return path;
  const std::string target = target_of(path);
  if (is_decided(target) && files::is_regular_file(ready_path(target), ignored)) return ready_path(target);
  // The members move before the first file, which may have been opened in the staging directory.
  const files::path directory = files::path(path).parent_path();
  if (!directory.string().ends_with(ready({}))) return path;
  const std::string moved = (directory.parent_path() / name_of(path)).string();
  return exists(moved) ? moved : path;
}

bool is_being_replaced(const std::string& target) {
  return exists(partial(target)) || exists(ready(target)) || exists(previous(target));
}

std::vector<ReplacementAct> finishing_acts(const std::string& target, const std::vector<std::string>& outdated) {
  std::vector<ReplacementAct> acts;
  if (exists(partial(target))) acts.push_back(clearing(target, partial(target)));
  if (exists(mark_in(previous(target)))) {
    if (exists(target)) {
      acts.push_back(ExchangeAct{previous(target), target, partial(target)});
    } else {
      acts.push_back(RenameAct{previous(target), target});
    }
    add_tidying(acts, target, true);
  } else if (exists(ready(target))) {
    const std::vector<std::string> names = names_in(ready(target));
    // After all moves these paths may belong to the new file.
    for (const std::string& path : outdated) {
      if (!names.empty() && exists(path)) acts.push_back(RemoveAct{path});
    }
    add_moves(acts, target, names);
  } else if (exists(previous(target))) {
    if (exists(target)) {
      if (exists(mark_in(target))) acts.push_back(RemoveAct{mark_in(target), true});
      acts.push_back(clearing(target, previous(target), true));
    } else {
      acts.push_back(RenameAct{previous(target), target});
    }
  }
  return acts;
}

std::vector<RemoveAct> removals_of_left(const std::string& target) {
  std::vector<RemoveAct> acts;
  for (std::size_t number = 1; exists(left(target, number)); ++number) acts.push_back({left(target, number), true});
  return acts;
}

bool is_decided(const std::string& target) { return exists(ready(target)) && !exists(staged_path(target)); }

std::vector<RenameAct> renames_instead(const ExchangeAct& act) {
  return {{act.other, act.spare}, {act.one, act.other}, {act.spare, act.one}};
}

std::vector<std::string> carry_out(const std::vector<ReplacementAct>& acts) {
  std::vector<std::string> remains;
  for (const ReplacementAct& act : acts) {
    const auto* removal = std::get_if<RemoveAct>(&act);
    try {
      std::visit([](const auto& one) { perform(one); }, act);
    } catch (const Error& error) {
      const std::string other = removal == nullptr ? "" : moved_aside(*removal);
      if (other.empty() && (removal == nullptr || !removal->is_tidying)) throw;
      remains.push_back("the new file is in place, but something remains next to it: " + error.message() +
                        (other.empty() ? "" : "; it was renamed to " + other));
    }
  }
  return remains;
}

}  // namespace quire
