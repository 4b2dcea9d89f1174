#include "api/file_sets.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "quire/base/error.hpp"
#include "transport/failure.hpp"
#include "transport/file_set.hpp"
#include "transport/file_system.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

void require_plain_name(const std::string& name, const std::string& beside) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos) return;
  throw Error(ErrorKind::bad_file, "a file of the set has a name that is none: \"" + name + "\"").in_file(beside);
}

/// Throws missing errors for a file that is not there because its replacement was interrupted.
void refuse_interrupted(const std::string& path) {
  const std::vector<ReplacementAct> acts = finishing_acts(target_of(path));
  if (acts.empty()) return;
  const bool returns =
      std::ranges::any_of(acts, [](const ReplacementAct& act) { return std::holds_alternative<RenameAct>(act); });
  if (returns) {
    throw Error(ErrorKind::missing, "the file is not there: its replacement was interrupted")
        .in_file(path)
        .advise("quire recover finishes it");
  }
  throw Error(ErrorKind::missing, "the file is not there: its writer ended before the first one was complete")
      .in_file(path)
      .advise("write it anew; quire recover --in-place only removes what was begun");
}

}  // namespace

std::string first_file_of(const std::string& path, const std::string& format, const Options& options) {
  std::error_code ignored;
  for (const Format* candidate : formats()) {
    if (options.empty() || files::exists(path, ignored)) break;
    if (!format.empty() && candidate->name() != format) continue;
    for (const std::string& other : candidate->stand_ins(path, options)) {
      if (files::is_regular_file(other, ignored)) return other;
    }
  }
  if (!files::exists(path, ignored)) refuse_interrupted(path);
  if (!files::is_directory(path, ignored)) return path;
  const std::vector<std::string> names = names_in(path);
  for (const Format* candidate : formats()) {
    if (!format.empty() && candidate->name() != format) continue;
    const std::string entry = candidate->entry_of(names);
    if (!entry.empty()) return (files::path(path) / entry).string();
  }
  throw Error(ErrorKind::bad_file, "this is a directory, and none that " +
                                       (format.empty() ? std::string("a format knows") : "the format has"))
      .in_file(path)
      .advise("name a file");
}

std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                        MemberName name, OpenAlone open) {
  const files::path directory = files::path(first_path).parent_path();
  return std::make_unique<FileSet>(std::move(first),
                                   [=](std::uint64_t member) { return open((directory / name(member)).string()); });
}

std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                        const FileDescription& file, OpenAlone open) {
  for (const std::string& name : file.members) require_plain_name(name, first_path);
  const auto name = [names = file.members, first_path](std::uint64_t member) {
    if (member < names.size()) return names[static_cast<std::size_t>(member)];
    throw Error(ErrorKind::internal, "the set has no member " + std::to_string(member)).in_file(first_path);
  };
  return with_members(std::move(first), first_path, name, std::move(open));
}

std::string first_file_for(const std::string& path, const WritePlanner& planner) {
  const std::string entry = planner.entry();
  return entry.empty() ? path : (files::path(path) / entry).string();
}

void clear_members(const std::string& path, const WritePlanner& planner, bool durable) {
  std::error_code code;
  const files::path first = first_file_for(path, planner);
  if (!planner.entry().empty()) make_directories(path, durable);
  const files::path directory = first.parent_path().empty() ? "." : first.parent_path();
  const std::string first_name = first.filename().string();
  if (planner.member_name(first_name, 1).empty()) return;
  for (const std::string& name : names_in(directory.string())) {
    if (name == first_name || !planner.is_member(first_name, name)) continue;
    files::remove(directory / name, code);
    if (code) throw system_error("remove", code.value()).in_file((directory / name).string());
  }
}

}  // namespace quire
