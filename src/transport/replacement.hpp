#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace quire {

// How a file, a set of files or a directory replaces an older one so that one of them is complete at any time: the new
// one is created in a staging directory next to its target (PATH.quire-partial, with the final names in it). When it is
// complete and durable, that directory is renamed to PATH.quire-ready: from then on the new one is valid, and any
// program that finds the directory can finish the replacement. A single file is moved by one rename; a directory is
// exchanged with the old one if the file system supports that, and a mark in the new one distinguishes the two. Sets,
// which no system call replaces at once, are moved after the old first file has been moved away.

/// The path without trailing separators, so that a suffix can be appended.
[[nodiscard]] std::string without_end_separators(std::string path);
/// The resolved name of a path, called target below: a rename would replace a symbolic link itself, and `directory/`
/// and `.` cannot have a suffix.
[[nodiscard]] std::string target_of(const std::string& path);

/// The path at which member 0 of the new file is written.
[[nodiscard]] std::string staged_path(const std::string& target);
/// The path of the complete new file until it replaces the target.
[[nodiscard]] std::string ready_path(const std::string& target);
/// The path of a new directory before its exchange with the old one, which is removed there.
[[nodiscard]] std::string previous_path(const std::string& target);

/// Whether the target's directory is writable and the names next to the target are not too long.
[[nodiscard]] bool can_be_staged(const std::string& target);
/// Creates an empty staging directory; finishing_acts() must run first. Throws io errors, and conflict errors if
/// another writer has created one meanwhile.
void begin_staging(const std::string& target);

/// Removes the staging directory: the target is unchanged.
void drop_staging(const std::string& target);

struct RenameAct {
  std::string from;
  std::string to;
};
struct RemoveAct {
  std::string path;         ///< a file, or a directory with its contents; need not exist
  bool is_tidying = false;  ///< the new one is in place already, and a failure is only reported
  std::string target = {};  ///< if given, what cannot be removed is renamed to TARGET.quire-left.NUMBER
};
/// Exchanges two names: by one system call or, if it is not supported, by the renames of renames_instead().
struct ExchangeAct {
  std::string one;
  std::string other;
  std::string spare;  ///< an unused name
};
struct MarkAct {
  std::string path;  ///< an empty file
};
struct SyncAct {
  std::string path;  ///< whose directory entry becomes durable
};
using ReplacementAct = std::variant<RenameAct, RemoveAct, ExchangeAct, MarkAct, SyncAct>;
[[nodiscard]] std::vector<RenameAct> renames_instead(const ExchangeAct& act);

/// The actions, in order, that replace the target by a complete staging directory. The rename of the directory decides;
/// after it, and before anything else is moved, the `outdated` paths are removed: files elsewhere that belong to the
/// old one. At the end, files next to the target are removed for which `is_member` is true and which the new one does
/// not have.
[[nodiscard]] std::vector<ReplacementAct> replacement_acts(
    const std::string& target, const std::vector<std::string>& outdated = {},
    const std::function<bool(const std::string& name)>& is_member = {});
/// Copies the permissions of the target, if it exists, to its replacement.
void keep_permissions(const std::string& target);
/// The present path of a file that a reader opens at `path`: a target or another file of its set. A set is moved by
/// several renames; between them no file may have the name of the target, and the complete new files are in the staging
/// directory or in their places. Returns `path` itself if it exists, or if no file does.
[[nodiscard]] std::string where_it_is(const std::string& path);
/// Whether a staging directory or other name of a replacement exists next to the target.
[[nodiscard]] bool is_being_replaced(const std::string& target);
/// The actions that finish an interrupted replacement; empty if there is none. An incomplete staging directory is
/// removed.
[[nodiscard]] std::vector<ReplacementAct> finishing_acts(const std::string& target,
                                                         const std::vector<std::string>& outdated = {});
/// The actions that remove, if now possible, what could not be removed earlier.
[[nodiscard]] std::vector<RemoveAct> removals_of_left(const std::string& target);
/// Whether a complete replacement is next to the target, for which finishing_acts() is not empty.
[[nodiscard]] bool is_decided(const std::string& target);
/// Executes the actions. Throws io errors that name the file. Returns messages about what could not be removed.
std::vector<std::string> carry_out(const std::vector<ReplacementAct>& acts);

}  // namespace quire
