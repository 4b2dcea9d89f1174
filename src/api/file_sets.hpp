#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "quire/format/options.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire {

/// Independent. The file that is opened for `path`: for a directory, or a pattern of names that no file has, the file
/// that a format opens for it. Throws bad_file errors for directories that no format recognises; `format` restricts the
/// choice to one by name.
[[nodiscard]] std::string first_file_of(const std::string& path, const std::string& format,
                                        const Options& options = {});

/// The name of a member next to the first file.
using MemberName = std::function<std::string(std::uint64_t member)>;
/// Opens a file for this rank alone.
using OpenAlone = std::function<std::unique_ptr<Transport>(const std::string& path)>;

/// Independent. A transport of the whole set, with the transport of the first file.
[[nodiscard]] std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                                      MemberName name, OpenAlone open);

/// Independent. The same for a described set. Names stored in a file are checked, so that none leads elsewhere.
[[nodiscard]] std::unique_ptr<Transport> with_members(std::unique_ptr<Transport> first, const std::string& first_path,
                                                      const FileDescription& file, OpenAlone open);

// Below, `set` are the names of the files of an output; null: it is one file.

/// Independent. FileSetNames::entry(); empty for one file.
[[nodiscard]] std::string entry_of(const FileSetNames* set);
/// Independent. FileSetNames::member_name(); empty for one file.
[[nodiscard]] std::string member_name(const FileSetNames* set, const std::string& first, std::uint64_t member);

/// Independent. The path of member 0 of a file written to `path`.
[[nodiscard]] std::string first_file_for(const std::string& path, const FileSetNames* set);

/// Rank 0. Throws conflict errors if a file that does not belong to a set with `target` as its first file exists at the
/// path of a new member, or, if members are to be `renamed` to their places, a symbolic link, because only the link
/// would be replaced.
void refuse_strangers(const std::string& target, const FileSetNames* set, bool renamed);

/// Rank 0. Whether a file next to `target` belongs to its set, and is removed when a new one replaces it.
[[nodiscard]] std::function<bool(const std::string& name)> member_test(const std::string& target,
                                                                       const FileSetNames* set);

/// Rank 0. Prepares the place of a new set: creates the directory and removes members of an old set. If `durable`, a
/// new directory survives a power cut.
void clear_members(const std::string& path, const FileSetNames* set, bool durable);

/// Rank 0. Removes members of the previous set next to the first file; of a link only the link.
void remove_members(const std::string& first, const std::vector<std::string>& names);

/// The paths of the members other than the first, for sets whose names are known before they are written.
[[nodiscard]] std::vector<std::string> paths_of_members(const std::string& first, const FileSetNames* set);

}  // namespace quire
