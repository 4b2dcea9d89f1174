#include "transport/replacement.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <system_error>

#include "quire/base/error.hpp"
#include "transport/failure.hpp"
#include "transport/file_system.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

std::string partial(const std::string& target) { return target + ".quire-partial"; }
std::string ready(const std::string& target) { return target + ".quire-ready"; }
std::string previous(const std::string& target) { return target + ".quire-previous"; }

bool exists(const std::string& path) {
  std::error_code ignored;
  return files::exists(files::symlink_status(path, ignored));
}

std::string name_of(const std::string& path) { return files::path(path).filename().string(); }

void require(const std::error_code& code, const std::string& action, const std::string& path) {
  if (code) throw system_error(action, code.value()).in_file(path);
}

/// From a directory with all the new files to the files in their places.
void add_moves(std::vector<ReplacementAct>& acts, const std::string& target, const std::vector<std::string>& names) {
  const files::path beside = files::path(target).parent_path();
  const std::string first = name_of(target);
  const bool is_there = std::ranges::find(names, first) != names.end();
  std::error_code ignored;
  const bool is_directory = files::is_directory(target, ignored) ||
                            files::is_directory(ready(target) + "/" + first, ignored) ||
                            files::is_directory(partial(target) + "/" + first, ignored);
  // A reader must never find the first file of one set with members of another.
  if (is_there && exists(target) && (names.size() > 1 || is_directory)) {
    acts.push_back(RemoveAct{previous(target)});
    acts.push_back(RenameAct{target, previous(target)});
  }
  for (const std::string& name : names) {
    if (name != first) acts.push_back(RenameAct{ready(target) + "/" + name, (beside / name).string()});
  }
  if (is_there) acts.push_back(RenameAct{ready(target) + "/" + first, target});
  acts.push_back(SyncAct{target});
  acts.push_back(RemoveAct{ready(target), true});
  acts.push_back(RemoveAct{previous(target), true});
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

bool can_be_staged(const std::string& target) {
  const files::path beside = files::path(target).parent_path();
  return name_of(previous(target)).size() <= NAME_MAX &&
         ::access(beside.empty() ? "." : beside.c_str(), W_OK | X_OK) == 0;
}

void begin_staging(const std::string& target) {
  // The whole file is durable before it takes its place.
  require_parent(target);
  std::error_code code;
  const bool is_new = files::create_directory(partial(target), code);
  require(code, "create the directory", partial(target));
  if (!is_new) {
    throw Error(ErrorKind::conflict, "another writer is about to replace the file")
        .in_file(target)
        .advise("let it end first; of two writers only one could have the file");
  }
  sync_directory_of(partial(target));
}

void drop_staging(const std::string& target) { carry_out({RemoveAct{partial(target)}}); }

std::vector<ReplacementAct> replacement_acts(const std::string& target, const std::vector<std::string>& outdated,
                                             const std::function<bool(const std::string& name)>& is_member) {
  std::vector<ReplacementAct> acts{RemoveAct{ready(target)}, RenameAct{partial(target), ready(target)},
                                   SyncAct{target}};
  const std::vector<std::string> names = names_in(partial(target));
  for (const std::string& path : outdated) acts.push_back(RemoveAct{path});
  add_moves(acts, target, names);
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
    // Those of a directory mean something else than those of a file.
    if (files::status(path, ignored).type() == old.type()) files::permissions(path, old.permissions(), ignored);
  }
}

bool is_being_replaced(const std::string& target) {
  return exists(partial(target)) || exists(ready(target)) || exists(previous(target));
}

std::vector<ReplacementAct> finishing_acts(const std::string& target, const std::vector<std::string>& outdated) {
  std::vector<ReplacementAct> acts;
  if (exists(ready(target))) {
    const std::vector<std::string> names = names_in(ready(target));
    // Once all has moved these may belong to the new one.
    for (const std::string& path : outdated) {
      if (!names.empty() && exists(path)) acts.push_back(RemoveAct{path});
    }
    add_moves(acts, target, names);
  } else if (exists(previous(target))) {
    if (exists(target)) {
      acts.push_back(RemoveAct{previous(target)});
    } else {
      acts.push_back(RenameAct{previous(target), target});
    }
  }
  if (exists(partial(target))) acts.push_back(RemoveAct{partial(target)});
  // Whoever asks for it hears of all that it could not do.
  for (ReplacementAct& act : acts) {
    if (auto* removal = std::get_if<RemoveAct>(&act)) removal->is_tidying = false;
  }
  return acts;
}

bool is_decided(const std::string& target) { return exists(ready(target)) && !exists(staged_path(target)); }

std::vector<std::string> carry_out(const std::vector<ReplacementAct>& acts) {
  std::vector<std::string> left;
  std::error_code code;
  for (const ReplacementAct& act : acts) {
    if (const auto* move = std::get_if<RenameAct>(&act)) {
      files::rename(move->from, move->to, code);
      require(code, "rename " + move->from + " to " + move->to, move->to);
    } else if (const auto* removal = std::get_if<RemoveAct>(&act)) {
      files::remove_all(removal->path, code);
      if (code && removal->is_tidying) {
        left.push_back("the new file is in its place, but " + removal->path + " stays: " + code.message());
        continue;
      }
      require(code, "remove " + removal->path, removal->path);
    } else {
      sync_directory_of(std::get<SyncAct>(act).path);
    }
  }
  return left;
}

}  // namespace quire
