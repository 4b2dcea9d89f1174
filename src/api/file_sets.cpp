#include "api/file_sets.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "quire/api/reader.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "transport/failure.hpp"
#include "transport/file_set.hpp"
#include "transport/file_system.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

namespace files = std::filesystem;

std::string name_of(const files::path& path) { return path.filename().string(); }

void require_plain_name(const std::string& name, const std::string& beside) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos) return;
  throw Error(ErrorKind::bad_file, "a file of the set has a name that is none: \"" + name + "\"").in_file(beside);
}

/// Throws missing errors for a file that does not exist because its replacement was interrupted.
void refuse_interrupted(const std::string& path) {
  const std::vector<ReplacementAct> acts = finishing_acts(target_of(path));
  if (acts.empty()) return;
  const bool returns =
      std::ranges::any_of(acts, [](const ReplacementAct& act) { return std::holds_alternative<RenameAct>(act); });
  if (returns) {
    throw Error(ErrorKind::missing, "the file does not exist: its replacement was interrupted")
        .in_file(path)
        .advise("quire recover finishes it");
  }
  throw Error(ErrorKind::missing, "the file does not exist: its writer ended before the first one was complete")
      .in_file(path)
      .advise("write it again; quire recover --in-place only removes the unfinished file");
}

/// The file that is opened for a pattern of names; empty if no format knows it or no file has such a name.
std::string first_of_pattern(const files::path& path, const std::string& format) {
  std::error_code ignored;
  const files::path directory = path.parent_path().empty() ? "." : path.parent_path();
  if (!files::is_directory(directory, ignored)) return {};
  for (const Format* candidate : formats()) {
    if (candidate->first_of_pattern == nullptr || (!format.empty() && candidate->name != format)) continue;
    const std::string first = candidate->first_of_pattern(name_of(path), names_in(directory.string()));
    if (!first.empty()) return (path.parent_path() / first).string();
  }
  return {};
}

}  // namespace

std::string first_file_of(const std::string& named, const std::string& format, const Options& options) {
  const std::string path = where_it_is(named);
  std::error_code ignored;
  for (const Format* candidate : formats()) {
    if (options.empty() || files::exists(path, ignored)) break;
    if (candidate->stand_ins == nullptr || (!format.empty() && candidate->name != format)) continue;
    for (const std::string& other : candidate->stand_ins(path, options)) {
      if (files::is_regular_file(other, ignored)) return other;
    }
  }
  if (!files::exists(path, ignored)) {
    if (std::string first = first_of_pattern(path, format); !first.empty()) return first;
    refuse_interrupted(path);
  }
  if (!files::is_directory(path, ignored)) return path;
  const std::vector<std::string> names = names_in(path);
  for (const Format* candidate : formats()) {
    if (!format.empty() && candidate->name != format) continue;
    const std::string entry = entry_of(*candidate, names);
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

std::string entry_of(const FileSetNames* set) { return set == nullptr ? std::string() : set->entry(); }

std::string member_name(const FileSetNames* set, const std::string& first, std::uint64_t member) {
  return set == nullptr ? std::string() : set->member_name(first, member);
}

std::string first_file_for(const std::string& path, const FileSetNames* set) {
  const std::string entry = entry_of(set);
  return entry.empty() ? path : (files::path(path) / entry).string();
}

namespace {

/// The other files named by a first file, and the format of that file.
struct NamedMembers {
  const Format* format = nullptr;
  std::vector<std::string> names;
};

NamedMembers look_for_members(const std::string& path) {
  NamedMembers found;
  std::error_code ignored;
  if (!files::is_regular_file(path, ignored)) return found;
  // A file that cannot be read names no members.
  static_cast<void>(caught([&] {
    const auto transport = open_transport("posix", path, Access::read, Comm::self(), {});
    TransportSource bytes(*transport);
    std::vector<std::byte> head(std::size_t{1} << 16);
    head.resize(bytes.read(0, head));
    // Formats that share a container store the names in the same way; a damaged file belongs to none of them.
    for (const Format* format : formats()) {
      if (!found.names.empty()) break;
      if (format->named_members == nullptr || !format->recognises(head, bytes.size())) continue;
      found = {.format = format, .names = format->named_members(bytes, name_of(path))};
    }
  }));
  return found;
}

}  // namespace

std::vector<std::string> named_members(const std::string& path) { return look_for_members(path).names; }

std::vector<std::string> own_members(const std::string& path) {
  auto [format, names] = look_for_members(path);
  if (names.empty()) return names;
  const auto planner = format->plan_writing(CheckedOptions(format->write_options, {}));
  const FileSetNames* const set = planner->capabilities().file_set;
  // A crafted file may name any file next to it, and a directory is no file of a set.
  std::erase_if(names, [&](const std::string& name) {
    std::error_code ignored;
    return set == nullptr || !set->is_member(name_of(path), name) ||
           files::is_directory(files::symlink_status(files::path(path).parent_path() / name, ignored));
  });
  return names;
}

std::vector<std::string> paths_of_members(const std::string& first, const FileSetNames* set) {
  std::vector<std::string> paths;
  if (set == nullptr || set->names_determine_members()) return paths;
  for (std::uint64_t member = 1;; ++member) {
    const std::string name = set->member_name(name_of(first), member);
    if (name.empty()) return paths;
    paths.push_back((files::path(first).parent_path() / name).string());
  }
}

std::function<bool(const std::string& name)> member_test(const std::string& target, const FileSetNames* set) {
  const bool by_name = set != nullptr && set->names_determine_members();
  return [set, by_name, first = name_of(target), old = own_members(target)](const std::string& name) {
    return (by_name && set->is_member(first, name)) || std::ranges::find(old, name) != old.end();
  };
}

void refuse_strangers(const std::string& target, const FileSetNames* set, bool renamed) {
  std::error_code ignored;
  for (const std::string& path : paths_of_members(target, set)) {
    const files::file_status there = files::symlink_status(path, ignored);
    if (!files::exists(there)) continue;
    if (renamed && files::is_symlink(there)) {
      throw Error(ErrorKind::conflict, "a file of the set is a symbolic link, which a new member would replace")
          .in_file(path)
          .advise("write over the set (replacement=direct), or remove the link first");
    }
    // An empty file was left by a writer that failed before its first step: no data are lost with it.
    const bool is_empty = files::is_regular_file(path, ignored) && files::is_empty(path, ignored);
    if (is_empty || member_test(target, set)(name_of(path))) continue;
    throw Error(ErrorKind::conflict, "a file in the place of a new member does not belong to " + target)
        .in_file(path)
        .advise("choose another name; or remove it, if a writer that was killed has left it");
  }
}

namespace {

/// Removes an old member. A link, maybe to another storage, may stay: then only its target is emptied.
void clear_place(const files::path& path, bool keeps_link) {
  std::error_code code;
  if (!keeps_link || !files::is_symlink(path, code)) {
    files::remove(path, code);
  } else if (files::exists(path, code)) {
    files::resize_file(path, 0, code);
  }
  if (code) throw system_error("remove", code.value()).in_file(path.string());
}

}  // namespace

void remove_members(const std::string& first, const std::vector<std::string>& names) {
  for (const std::string& name : names) clear_place(files::path(first).parent_path() / name, false);
}

void clear_members(const std::string& path, const FileSetNames* set, bool durable) {
  const files::path first = first_file_for(path, set);
  if (!entry_of(set).empty()) make_directory(path, durable);
  const files::path directory = first.parent_path().empty() ? "." : first.parent_path();
  for (const std::string& name : own_members(first)) clear_place(directory / name, true);
  if (set == nullptr || !set->names_determine_members() || set->member_name(name_of(first), 1).empty()) return;
  for (const std::string& name : names_in(directory.string())) {
    if (name != name_of(first) && set->is_member(name_of(first), name)) clear_place(directory / name, false);
  }
}

}  // namespace quire
