#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace quire {

// How a file, a set of files or a directory takes the place of an older one so that one of them is always whole:
// the new one is made in a directory of its own beside its target (PATH.quire-partial, with the final names in it).
// When it is complete and durable that directory is renamed to PATH.quire-ready: from then on the new one counts, and
// whoever finds the directory can finish what follows. What is one file takes its place by one rename, a directory by
// changing places with what stands there, where the file system can do that: a mark in the new one tells which is
// which. Sets, which no call replaces at once, do so after the old first file has been moved away.

/// The path without separators at its end, behind which no other name can be put.
[[nodiscard]] std::string without_end_separators(std::string path);
/// The name of what a path leads to, which is what the functions below call target: renaming would replace a symbolic
/// link itself, and beside `directory/` or `.` nothing can stand.
[[nodiscard]] std::string target_of(const std::string& path);

/// Where member 0 of the new one is written.
[[nodiscard]] std::string staged_path(const std::string& target);
/// Where it stands until it takes its place, once the new one is complete.
[[nodiscard]] std::string ready_path(const std::string& target);
/// Where a new directory stands before it changes places with the old one, which is removed there.
[[nodiscard]] std::string previous_path(const std::string& target);

/// Whether the target's directory may be written and the names beside the target are not too long.
[[nodiscard]] bool can_be_staged(const std::string& target);
/// Makes an empty staging directory where none may be: finishing_acts() first. Throws io errors, and conflict errors if
/// another writer has made one meanwhile.
void begin_staging(const std::string& target);

/// Removes the staging directory: the old one stays as it is.
void drop_staging(const std::string& target);

struct RenameAct {
  std::string from;
  std::string to;
};
struct RemoveAct {
  std::string path;         ///< a file, or a directory with all that is in it; need not exist
  bool is_tidying = false;  ///< the new one is in its place already: what stays behind is in nobody's way
  std::string target = {};  ///< if given, what cannot be removed becomes TARGET.quire-left.NUMBER, which nobody needs
};
/// Changes places: by one call, or, where the system has none for that, by the renames of renames_instead().
struct ExchangeAct {
  std::string one;
  std::string other;
  std::string spare;  ///< a name that nothing has
};
struct MarkAct {
  std::string path;  ///< an empty file
};
struct SyncAct {
  std::string path;  ///< whose directory entry becomes durable
};
using ReplacementAct = std::variant<RenameAct, RemoveAct, ExchangeAct, MarkAct, SyncAct>;
[[nodiscard]] std::vector<RenameAct> renames_instead(const ExchangeAct& act);

/// The acts, in order, that put a complete staging directory in the place of the target. The rename of the directory
/// decides; behind it, and before anything else moves, what is `outdated` goes: what stands elsewhere and belongs to
/// the old one. At the end files beside the target go of which `is_member` tells that they belong to its set, and which
/// the new one does not have.
[[nodiscard]] std::vector<ReplacementAct> replacement_acts(
    const std::string& target, const std::vector<std::string>& outdated = {},
    const std::function<bool(const std::string& name)>& is_member = {});
/// What takes the place of the target gets the permissions that it has, if it is there.
void keep_permissions(const std::string& target);
/// Where a file is now that a reader looks for at `path`, be it a target or another file of its set. A set takes its
/// place by several renames; between them nothing has the name of the target, and the complete new files are where they
/// were made ready or in their places. The path itself if it is there, or if nothing is.
[[nodiscard]] std::string where_it_is(const std::string& path);
/// Whether anything stands beside the target that a replacement makes there.
[[nodiscard]] bool is_being_replaced(const std::string& target);
/// The acts that finish a replacement that was interrupted; none if there is none. A staging directory that was never
/// completed is dropped.
[[nodiscard]] std::vector<ReplacementAct> finishing_acts(const std::string& target,
                                                         const std::vector<std::string>& outdated = {});
/// The acts that remove what could not be removed once, as far as it can be now.
[[nodiscard]] std::vector<RemoveAct> removals_of_left(const std::string& target);
/// Whether a complete new one waits beside the target, of which finishing_acts() have something left to do.
[[nodiscard]] bool is_decided(const std::string& target);
/// Throws io errors that name the file. Returns sentences about what could not be tidied up.
std::vector<std::string> carry_out(const std::vector<ReplacementAct>& acts);

}  // namespace quire
